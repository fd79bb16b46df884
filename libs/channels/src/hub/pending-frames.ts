import { ProtocolError } from '../protocol/protocol-error.js';
import type { Connection } from '../connections/connection.js';

interface Held {
  readonly frames: Buffer[];
  bytes: number;
}

/**
 * What is published on a channel while connections are being subscribed to it: the shared state may be far away, and the
 * confirmation has to be the first that a client hears of the channel.
 */
export class PendingFrames {
  private readonly held = new Map<Connection, Held>();

  /** @param limitBytes kept for each connection; over it, the connection is closed with 4100 */
  constructor(private readonly limitBytes: number) {}

  get size(): number {
    return this.held.size;
  }

  open(connection: Connection): void {
    this.held.set(connection, { frames: [], bytes: 0 });
  }

  publish(frame: Buffer, except: string | undefined): void {
    for (const [connection, held] of this.held)
      if (connection.socketId !== except && !connection.isClosed) this.keep(connection, held, frame);
  }

  has(connection: Connection, frame: Buffer): boolean {
    return this.held.get(connection)?.frames.some((each) => each.equals(frame)) ?? false;
  }

  /** @returns what was kept, or `undefined` when nothing was held for the connection; it is not any more */
  take(connection: Connection): readonly Buffer[] | undefined {
    const held = this.held.get(connection);
    this.held.delete(connection);
    return held?.frames;
  }

  [Symbol.iterator](): Iterator<Connection> {
    return this.held.keys();
  }

  private keep(connection: Connection, held: Held, frame: Buffer): void {
    held.frames.push(frame);
    held.bytes += frame.length;
    if (held.bytes <= this.limitBytes) return;
    held.frames.length = 0;
    connection.close(ProtocolError.overCapacity());
  }
}
