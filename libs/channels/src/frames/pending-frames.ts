import type { Connection } from '../connections/connection.js';
import { ProtocolError } from '../protocol/protocol-error.js';
import type { Position } from '../broker/broker.js';
import type { Frame } from './frame.js';

interface Pending {
  readonly frames: Frame[];
  characters: number;
}

/**
 * Keeps what is published on a channel while connections are being subscribed to it: shared state may be remote, and
 * the confirmation must be the first frame of the channel that a client receives.
 */
export class PendingFrames {
  private readonly pending = new Map<Connection, Pending>();

  /** @param limit characters kept for each connection; a connection that exceeds it is closed with 4100 */
  constructor(private readonly limit: number) {}

  get size(): number {
    return this.pending.size;
  }

  open(connection: Connection): void {
    this.pending.set(connection, { frames: [], characters: 0 });
  }

  publish(frame: Frame): void {
    for (const [connection, pending] of this.pending)
      if (connection.socketId !== frame.except && !connection.isClosed) this.keep(connection, pending, frame);
  }

  has(connection: Connection, position: Position): boolean {
    return this.pending.get(connection)?.frames.some((each) => each.position === position) ?? false;
  }

  /**
   * @returns the kept frames, or `undefined` when the connection was not being subscribed; it no longer is afterwards
   */
  take(connection: Connection): readonly Frame[] | undefined {
    const pending = this.pending.get(connection);
    this.pending.delete(connection);
    return pending?.frames;
  }

  [Symbol.iterator](): Iterator<Connection> {
    return this.pending.keys();
  }

  private keep(connection: Connection, pending: Pending, frame: Frame): void {
    pending.frames.push(frame);
    pending.characters += frame.text.length;
    if (pending.characters <= this.limit) return;
    pending.frames.length = 0;
    connection.close(ProtocolError.overCapacity());
  }
}
