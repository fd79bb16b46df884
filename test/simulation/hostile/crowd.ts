import { limits } from '../cluster-options.js';
import { HostileConnection } from './hostile-connection.js';
import type { Hostile, HostileParts } from './hostile-parts.js';
import type { Hostility } from './hostility.js';

type Crowding = Extract<Hostility, { readonly does: 'crowd' }>;

/** Connections of one address to one node, each with many subscriptions. */
export class Crowd implements Hostile {
  private readonly connections: readonly HostileConnection[];
  private most = 0;

  constructor(
    private readonly parts: HostileParts,
    crowding: Crowding,
  ) {
    const { world, node, number } = parts;
    const address = `1.1.${number >> 8}.${number & 255}`;
    this.connections = Array.from(
      { length: crowding.connections },
      (_, n) =>
        new HostileConnection(world, node, `crowd ${number}, ${n}`, { address }, (connection) => {
          this.most = Math.max(this.most, this.connections.filter(({ isOpen }) => isOpen).length);
          for (let k = 0; k < crowding.subscriptions; k++)
            connection.send('pusher:subscribe', { channel: `crowd-${number}-${k}` });
          world.after(crowding.afterMs, () => connection.leave(), connection.party);
        }),
    );
  }

  get wrong(): string | undefined {
    const { connectionsPerAddress, subscriptionsPerAddress } = limits;
    const { number } = this.parts;
    if (this.most > connectionsPerAddress)
      return `crowd ${number} has ${this.most} connections of one address instead of ${connectionsPerAddress}`;
    // Each connection may have a subscription under way when the limit is reached.
    const most = subscriptionsPerAddress + connectionsPerAddress;
    const confirmed = this.connections.reduce((sum, each) => sum + each.confirmed, 0);
    return confirmed > most
      ? `crowd ${number} has ${confirmed} subscriptions of one address instead of ${most}`
      : undefined;
  }
}
