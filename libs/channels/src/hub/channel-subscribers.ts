import type { Position } from '../broker/broker.js';
import type { ChannelFeed } from '../broker/channel-feed.js';
import type { Connection } from '../connections/connection.js';
import type { WriteScheduler } from '../connections/write-scheduler.js';
import { ChannelChanges, flapWindowMs } from '../frames/channel-changes.js';
import { type Frame, JoinedFrames } from '../frames/frame.js';
import { type AlreadySent, KnownFrames } from '../frames/known-frames.js';
import { PendingFrames } from '../frames/pending-frames.js';
import type { AppTraffic } from '../metrics.js';
import type { ChannelObserver, SentChannel } from './channel-observer.js';

/**
 * The connections of this process on one channel. Frames published within a tick are joined once and written to all of
 * them; a connection gets the frames published after it joined and before it left. Changes of members may be delayed to
 * be joined with others, or to be cancelled by their opposite, as long as nothing else is published.
 */
export class ChannelSubscribers implements SentChannel {
  readonly changes: ChannelChanges;

  readonly released = new Set<Connection>();
  /** The connections about to join; usually none. */
  private pending: PendingFrames | undefined;
  private due: Frame[] = [];
  /** Whether the next round writes what is due. */
  private isDueSoon = false;
  /** Until a round is requested for the changes of restless members. */
  private rest: NodeJS.Timeout | undefined;
  /** Whether due frames are written at the end of this tick. */
  private isFlushing = false;
  /** For connections that joined since the last flush: the index of their first frame in `due`. */
  private readonly joinedAt = new Map<Connection, number>();
  private readonly known = new KnownFrames();
  /** The position of the latest event in the history that is due. */
  private keptTo: Position | undefined;

  constructor(
    readonly name: string,
    readonly feed: ChannelFeed,
    private readonly observers: readonly ChannelObserver[],
    private readonly writes: WriteScheduler,
    private readonly queuedBytes: number,
    private readonly traffic: AppTraffic,
  ) {
    this.changes = new ChannelChanges(name);
  }

  /** Connections on the channel, not counting those about to join. */
  get size(): number {
    return this.released.size;
  }

  get isEmpty(): boolean {
    return this.released.size === 0 && !this.pending;
  }

  /** Keeps published messages for a connection until it is released. */
  prepare(connection: Connection): void {
    this.pending ??= new PendingFrames(this.queuedBytes);
    this.pending.open(connection);
  }

  /** Whether the message at this position waits for a connection that is not released yet. */
  isPending(connection: Connection, position: Position): boolean {
    return this.pending?.has(connection, position) ?? false;
  }

  /** Delivers the messages kept for a connection; from now on it receives messages as they are published. */
  release(connection: Connection, known: AlreadySent): void {
    const kept = this.takePending(connection);
    if (!kept) return;
    this.known.remember(connection, known);
    for (const frame of kept) {
      if (!this.known.isNews(connection, frame) || known.has?.(frame)) continue;
      this.deliverTo(connection, frame);
      this.changes.sentAhead(frame);
    }
    this.released.add(connection);
    if (this.due.length > 0) this.joinedAt.set(connection, this.due.length);
  }

  /** @returns whether the connection was on the channel */
  delete(connection: Connection): boolean {
    if (this.takePending(connection)) return true;
    if (this.due.length > 0 && this.released.has(connection)) this.deliverDue(connection);
    this.joinedAt.delete(connection);
    this.known.forget(connection);
    return this.released.delete(connection);
  }

  publish(frame: Frame): void {
    const when = this.changes.admit(frame, this.released.size > 0);
    if (when === 'never') return;
    this.pending?.publish(frame);
    if (this.released.size === 0) return;
    this.due.push(frame);
    if (frame.isKept) this.keptTo = frame.position;
    if (this.isFlushing) return;
    if (!frame.change) {
      this.isFlushing = true;
      this.writes.channelDue(this);
    } else if (when === 'later') this.rest ??= setTimeout(() => this.isDue(), flapWindowMs).unref();
    else this.isDue();
  }

  /** Has the next round write what is due. */
  private isDue(): void {
    if (this.isDueSoon || this.isFlushing) return;
    this.isDueSoon = true;
    this.writes.channelDueSoon(this);
  }

  /** All connections, including those that are not released yet. */
  *[Symbol.iterator](): Iterator<Connection> {
    yield* this.released;
    if (this.pending) yield* this.pending;
  }

  flush(): void {
    const { released } = this;
    if (this.due.length === 0) return;
    const due = this.changes.takeDue(this.due);
    const frames = new JoinedFrames(due);
    if (this.joinedAt.size === 0 && due.every((frame) => this.isForAll(frame))) {
      this.traffic.deliveries += released.size * due.length;
      for (const connection of released) connection.enqueue(frames.bytes(connection.encoding));
    } else this.flushOneByOne(frames, due);
    if (due.length > 0) this.known.sent(due.at(-1)!.position);
    if (this.keptTo !== undefined) for (const observer of this.observers) observer.keptSent?.(this, this.keptTo);
    this.keptTo = undefined;
    this.due = [];
    this.isFlushing = false;
    this.isDueSoon = false;
    clearTimeout(this.rest);
    this.rest = undefined;
    this.joinedAt.clear();
  }

  private takePending(connection: Connection): readonly Frame[] | undefined {
    const kept = this.pending?.take(connection);
    if (this.pending?.size === 0) this.pending = undefined;
    return kept;
  }

  // For some connections the frames differ: excluded, joined late, known already, or asked. The rest share one buffer.
  private flushOneByOne(frames: JoinedFrames, due: readonly Frame[]): void {
    const excluded = new Set(due.map(({ except }) => except));
    const mayKnow = this.known.mayKnow(due);
    const isForEachAlone = due.some((frame) => frame.isForEachAlone);
    for (const connection of this.released)
      if (isForEachAlone || excluded.has(connection.socketId) || this.joinedAt.has(connection) || mayKnow(connection))
        this.deliverDue(connection);
      else {
        this.traffic.deliveries += due.length;
        connection.enqueue(frames.bytes(connection.encoding));
      }
  }

  private deliverDue(connection: Connection): void {
    const from = this.joinedAt.get(connection) ?? 0;
    for (let i = from; i < this.due.length; i++) {
      const frame = this.due[i]!;
      if (frame.except !== connection.socketId && this.known.isNews(connection, frame))
        this.deliverTo(connection, frame);
    }
  }

  private deliverTo(connection: Connection, frame: Frame): void {
    this.traffic.deliveries += 1;
    connection.enqueue(frame.bytes(connection.encoding));
    frame.onSent?.(connection);
    if (!frame.isKept) return;
    for (const observer of this.observers) observer.keptSentTo?.(connection, this.name, frame.position);
  }

  private isForAll(frame: Frame): boolean {
    return frame.except === undefined && !frame.isForEachAlone && this.known.isNewToAll(frame);
  }
}
