import type { Party } from './party.js';
import type { ToClient, ToNode } from './simulated-transport.js';
import { Wire } from './wire.js';
import type { World } from './world.js';

/** Of what a client sends and receives. */
export const clientLatency = { least: 1, most: 15, slowShare: 0.05, slow: 100 };

/** What a client makes of what it hears. */
export interface ConnectionListener {
  readonly party: Party;
  texts(texts: readonly string[], sentAt: number): void;
  /** @param code of the server's close frame; undefined if the connection ended without one */
  over(code: number | undefined): void;
  /** The server has not answered a ping. */
  silent?(): void;
}

/** Where a connection leads. */
export interface Listening {
  readonly party: Party;
  /** @returns where the client's messages go */
  accept(down: Wire<ToClient>): (message: ToNode) => void;
}

/** After how long a silent server is pinged, and how long it may then take to answer. */
export interface Patience {
  readonly activityMs: number;
  readonly pongMs: number;
}

/** One connection of a browser in the simulation. It answers pings, and watches over a silent server as pusher-js does. */
export class SimulatedConnection {
  readonly up: Wire<ToNode>;
  readonly down: Wire<ToClient>;
  private heardAt: number;
  private isPinged = false;
  private isOver = false;

  /** @param name differs from that of each other connection */
  constructor(
    private readonly world: World,
    name: string,
    private readonly listener: ConnectionListener,
    to: Listening,
    patience?: Patience,
  ) {
    let accepted: (message: ToNode) => void = () => {};
    this.heardAt = world.now;
    this.up = new Wire<ToNode>(world, `${name} up`, to.party, clientLatency, (message) => accepted(message));
    this.down = new Wire<ToClient>(world, `${name} down`, listener.party, clientLatency, (message) =>
      this.hear(message),
    );
    world.after(clientLatency.most, () => void (accepted = to.accept(this.down)), to.party);
    if (patience) this.lookAt(this.silentAt(patience), patience);
  }

  send(event: string, data: object, channel?: string): void {
    this.sendText(JSON.stringify({ event, channel, data }));
  }

  sendText(text: string): void {
    this.up.send({ kind: 'text', text });
  }

  /** Nothing that the server has sent is heard from now on. */
  forget(): void {
    this.isOver = true;
    this.down.cut();
  }

  private silentAt({ activityMs, pongMs }: Patience): number {
    return this.heardAt + (this.isPinged ? pongMs : activityMs);
  }

  private lookAt(at: number, patience: Patience): void {
    const look = (): void => {
      if (this.isOver) return;
      if (this.silentAt(patience) <= this.world.now) {
        if (this.isPinged) return this.listener.silent?.();
        this.isPinged = true;
        this.heardAt = this.world.now;
        this.send('pusher:ping', {});
      }
      this.lookAt(this.silentAt(patience), patience);
    };
    this.world.at(at, look, this.listener.party);
  }

  private hear(message: ToClient): void {
    if (this.isOver) return;
    this.heardAt = this.world.now;
    this.isPinged = false;
    switch (message.kind) {
      case 'texts':
        return this.listener.texts(message.texts, message.sentAt);
      case 'ping':
        if (message.number !== undefined) return this.up.send({ kind: 'pong', number: message.number });
        // A transport sends both kinds of ping: the browser answers one, and pusher-js the other.
        this.up.send({ kind: 'pong' });
        return this.send('pusher:pong', {});
      case 'close':
        this.world.note(`is closed with ${message.code}`);
        this.up.send({ kind: 'end' });
        return this.listener.over(message.code);
      case 'end':
        return this.listener.over(undefined);
      default:
        message satisfies never;
    }
  }
}
