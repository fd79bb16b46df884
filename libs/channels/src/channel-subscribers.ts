import type { Connection } from './sockets/connection.js';
import type { WriteScheduler } from './sockets/write-scheduler.js';

interface DueFrame {
  readonly frame: Buffer;
  readonly except: string | undefined;
}

/**
 * The connections of this process on one channel. Frames published within a tick are joined once and handed to all;
 * a connection gets those published after it joined and before it left.
 */
export class ChannelSubscribers {
  /** Connections that are on the channel or about to be. */
  interested = 0;
  /** Settles when the broker carries the channel to this process. */
  ready: void | Promise<void> = undefined;

  private readonly connections = new Set<Connection>();
  private due: DueFrame[] = [];
  /** Where in `due` those begin who joined since it was last flushed. */
  private readonly joinedAt = new Map<Connection, number>();

  constructor(private readonly writes: WriteScheduler) {}

  add(connection: Connection): void {
    this.connections.add(connection);
    if (this.due.length > 0) this.joinedAt.set(connection, this.due.length);
  }

  delete(connection: Connection): void {
    if (this.due.length > 0 && this.connections.has(connection)) this.handOver(connection);
    this.connections.delete(connection);
    this.joinedAt.delete(connection);
  }

  publish(frame: Buffer, except: string | undefined): void {
    if (this.connections.size === 0) return;
    if (this.due.push({ frame, except }) === 1) this.writes.channelDue(this);
  }

  [Symbol.iterator](): Iterator<Connection> {
    return this.connections.values();
  }

  flush(): void {
    const { due, connections } = this;
    if (due.length === 0) return;
    if (this.joinedAt.size === 0 && due.every(({ except }) => except === undefined)) {
      const bytes = joined(due);
      for (const connection of connections) connection.enqueue(bytes);
    } else this.flushOneByOne();
    this.due = [];
    this.joinedAt.clear();
  }

  // Somebody is excluded or came late; everybody else still shares one buffer.
  private flushOneByOne(): void {
    const { due } = this;
    const bytes = joined(due);
    const excluded = new Set(due.map(({ except }) => except));
    for (const connection of this.connections)
      if (excluded.has(connection.socketId) || this.joinedAt.has(connection)) this.handOver(connection);
      else connection.enqueue(bytes);
  }

  private handOver(connection: Connection): void {
    const from = this.joinedAt.get(connection) ?? 0;
    for (let i = from; i < this.due.length; i++) {
      const { frame, except } = this.due[i]!;
      if (except !== connection.socketId) connection.enqueue(frame);
    }
  }
}

function joined(due: readonly DueFrame[]): Buffer {
  return due.length === 1 ? due[0]!.frame : Buffer.concat(due.map(({ frame }) => frame));
}
