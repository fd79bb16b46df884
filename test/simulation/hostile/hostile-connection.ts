import { Party } from '../../../libs/testing/src/simulation/party.js';
import {
  type ConnectionListener,
  SimulatedConnection,
} from '../../../libs/testing/src/simulation/simulated-connection.js';
import type { ToClient } from '../../../libs/testing/src/simulation/simulated-transport.js';
import type { Wire } from '../../../libs/testing/src/simulation/wire.js';
import type { World } from '../../../libs/testing/src/simulation/world.js';
import type { Origin, ServingNode } from '../node.js';

interface Told {
  readonly event: string;
  readonly data: string;
}

/** How it ends. */
export type Leaving = 'closing' | 'ending' | 'silent';

/** A connection of a hostile client, which connects once and notes only what it is allowed and refused. */
export class HostileConnection implements ConnectionListener {
  readonly party: Party;
  isOver = false;
  confirmed = 0;
  /** When the server sent the latest confirmation. */
  confirmedAt = 0;
  refused = 0;
  socketId: string | undefined;
  private readonly connection: SimulatedConnection;

  constructor(
    world: World,
    node: ServingNode,
    name: string,
    origin: Origin,
    private readonly greeted: (connection: HostileConnection, socketId: string, sentAt: number) => void,
  ) {
    this.party = new Party(name);
    const accept = (down: Wire<ToClient>) => node.accept(undefined, down, origin);
    this.connection = new SimulatedConnection(world, name, this, { party: node.party, accept });
  }

  /** Whether the server has let it in, and it is still there. */
  get isOpen(): boolean {
    return this.socketId !== undefined && !this.isOver;
  }

  send(event: string, data: object, channel?: string): void {
    if (!this.isOver) this.connection.send(event, data, channel);
  }

  sendText(text: string): void {
    if (!this.isOver) this.connection.sendText(text);
  }

  /** @param how with a close frame, without one, or so that its node does not hear of it */
  leave(how: Leaving = 'ending'): void {
    if (this.isOver) return;
    const { connection } = this;
    if (how === 'silent') connection.up.cut();
    else connection.up.send(how === 'closing' ? { kind: 'close', code: 1000 } : { kind: 'end' });
    connection.forget();
    this.isOver = true;
  }

  texts(texts: readonly string[], sentAt: number): void {
    for (const text of texts) if (!this.isOver) this.told(JSON.parse(text) as Told, sentAt);
  }

  over(): void {
    this.isOver = true;
  }

  private told({ event, data }: Told, sentAt: number): void {
    switch (event) {
      case 'pusher:ping':
        return this.send('pusher:pong', {});
      case 'pusher:connection_established':
        this.socketId = (JSON.parse(data) as { readonly socket_id: string }).socket_id;
        return this.greeted(this, this.socketId, sentAt);
      case 'pusher_internal:subscription_succeeded':
        this.confirmed += 1;
        this.confirmedAt = sentAt;
        return;
      case 'pusher:error':
        this.refused += 1;
    }
  }
}
