import { PendingFrames } from './pending-frames.js';
import type { Connection } from '../connections/connection.js';
import type { WriteScheduler } from '../connections/write-scheduler.js';

interface DueFrame {
  readonly frame: Buffer;
  readonly except: string | undefined;
}

/**
 * The connections of this process on one channel. Frames published within a tick are joined once and handed to all;
 * a connection gets those published after it joined and before it left.
 */
export class ChannelSubscribers {
  /** Settles when the broker carries the channel to this process. */
  ready: void | Promise<void> = undefined;

  private readonly connections = new Set<Connection>();
  /** Those who are about to be on the channel; most of the time there are none. */
  private held: PendingFrames | undefined;
  private due: DueFrame[] = [];
  /** Where in `due` those begin who joined since it was last flushed. */
  private readonly joinedAt = new Map<Connection, number>();

  constructor(
    private readonly writes: WriteScheduler,
    private readonly queuedBytes: number,
  ) {}

  get isEmpty(): boolean {
    return this.connections.size === 0 && !this.held;
  }

  /** Keeps what is published for a connection until it is released. */
  hold(connection: Connection): void {
    this.held ??= new PendingFrames(this.queuedBytes);
    this.held.open(connection);
  }

  /** Whether the very frame waits for a connection that is not released yet. */
  holds(connection: Connection, frame: Buffer): boolean {
    return this.held?.has(connection, frame) ?? false;
  }

  /** Passes on what was kept for a connection; from now on it gets what is published. */
  release(connection: Connection): void {
    const kept = this.takeHeld(connection);
    if (!kept) return;
    for (const frame of kept) connection.enqueue(frame);
    this.connections.add(connection);
    if (this.due.length > 0) this.joinedAt.set(connection, this.due.length);
  }

  /** @returns whether the connection was here */
  delete(connection: Connection): boolean {
    if (this.takeHeld(connection)) return true;
    if (this.due.length > 0 && this.connections.has(connection)) this.handOver(connection);
    this.joinedAt.delete(connection);
    return this.connections.delete(connection);
  }

  publish(frame: Buffer, except: string | undefined): void {
    this.held?.publish(frame, except);
    if (this.connections.size === 0) return;
    if (this.due.push({ frame, except }) === 1) this.writes.channelDue(this);
  }

  /** All connections, those that are not released yet included. */
  *[Symbol.iterator](): Iterator<Connection> {
    yield* this.connections;
    if (this.held) yield* this.held;
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

  private takeHeld(connection: Connection): readonly Buffer[] | undefined {
    const kept = this.held?.take(connection);
    if (this.held?.size === 0) this.held = undefined;
    return kept;
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
