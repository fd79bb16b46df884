import { HostileConnection } from './hostile-connection.js';
import type { Hostile, HostileParts } from './hostile-parts.js';

/** More than a connection may send in a second. */
const pings = 400;
const everyMs = 1000;

/** A client that pings until it is closed. */
export class PingingClient implements Hostile {
  private readonly connection: HostileConnection;

  constructor(private readonly parts: HostileParts) {
    const { world, node, number } = parts;
    this.connection = new HostileConnection(world, node, `pinging client ${number}`, {}, () => this.ping());
  }

  get wrong(): string | undefined {
    return this.connection.isOpen ? `pinging client ${this.parts.number} may ping without end` : undefined;
  }

  private ping(): void {
    if (this.connection.isOver) return;
    for (let n = 0; n < pings; n++) this.connection.send('pusher:ping', {});
    this.parts.world.after(everyMs, () => this.ping(), this.connection.party);
  }
}
