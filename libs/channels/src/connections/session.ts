import type { PositionChange, SavedSession, SessionName } from '../access/saved-session.js';
import type { Position } from '../protocol/position.js';
import { Slot } from './slot.js';

/** Before a position: the client may have missed events before it. Compares less than every position. */
export const gapBefore = '-';
/** In place of a channel's name, without a position: the client may have been on others than those saved. */
const others = '';

/** For how long a client may take to join its channels again, in milliseconds: it may have to ask for authorization. */
const rejoiningMs = 600_000;

/** The sessions of connections whose clients continue one. */
export const sessions = new Slot<Session>();

/**
 * Tracks what a client has received. The client answers each ping after everything that came before it, so an answer
 * acknowledges all that had been sent by then.
 */
export class Session {
  /** False once a newer connection has taken over the session. */
  isCurrent = true;
  /**
   * Whether the client has used this connection, which may take the session then: before the greeting, all that it does
   * is answer pings, and it may have left for another connection.
   */
  isProven = false;
  /** Whether this connection has taken the session from earlier ones. */
  isTaken = false;
  userId: string | undefined;
  /** Whether earlier connections may have been on channels that the server no longer knows. */
  isLost = false;
  private resumedAt = 0;
  /** Whether the store has forgotten other connections: the client may have left this one for one of them. */
  private isDoubtful = false;
  /** The positions of earlier connections, for channels that this connection has not subscribed to yet. */
  private readonly missed = new Map<string, Position>();
  /** Of its earlier connections, as known when this one was opened. */
  socketIds: readonly string[] = [];
  private readonly sent = new Map<string, Position>();
  private readonly answered = new Map<string, Position>();
  /** Channels that the client has joined here, which is neither saved yet nor confirmed by an answer. */
  private readonly fresh = new Set<string>();
  /** Channels with events sent since the last ping. */
  private readonly due = new Set<string>();
  private readonly unsaved = new Map<string, Position | null>();
  /** The repository call in progress. */
  saving: Promise<void> | undefined;

  /** @param maxChannels positions are kept for at most this many channels */
  constructor(
    readonly name: SessionName,
    private readonly maxChannels: number,
  ) {}

  /** Continues where an earlier connection ended. */
  resume({ positions, socketIds, userId, isLost = false }: SavedSession): void {
    const saved = new Map(positions);
    const isPart = saved.delete(others);
    this.isLost = isLost || isPart;
    this.resumedAt = performance.now();
    this.socketIds = socketIds;
    this.userId ??= userId;
    for (const [channel, position] of saved) this.missed.set(channel, position);
    // Saved again when this connection takes the session: until then, an earlier one may change them.
    this.saveAll();
    // Also for the next connection, if this one ends before the client has joined them all.
    if (this.isLost) this.unsaved.set(others, gapBefore);
    this.forgetMissed(this.maxChannels);
  }

  /** The client is still there. What it joins long after it came back, it was not on before. */
  stays(): void {
    if (!this.isLost || performance.now() - this.resumedAt < rejoiningMs) return;
    this.isLost = false;
    this.noteUnsaved(others, null);
  }

  /** Sets the client's user. Events that another user's connection missed are not replayed. */
  isOf(userId: string): void {
    if (this.userId !== undefined && this.userId !== userId)
      for (const channel of this.missed.keys()) this.leave(channel);
    this.userId = userId;
  }

  /** The position up to which an earlier connection received the channel's events. */
  missedSince(channel: string): Position | undefined {
    return this.missed.get(channel);
  }

  /** Whether the event excludes an earlier connection of this same client. */
  isExcluded(except: string | undefined): boolean {
    return except !== undefined && this.socketIds.includes(except);
  }

  /** The client receives the channel's events from this position on. */
  join(channel: string, position: Position): void {
    this.forgetMissed(this.maxChannels - 1);
    this.fresh.add(channel);
    this.sent.set(channel, this.isLost ? afterGap(position) : position);
    this.got(channel, this.isLost || this.isDoubtful ? afterGap(position) : position);
    if (this.isDoubtful) this.due.add(channel);
  }

  /** The client was sent everything up to this position, or joined there. */
  sentTo(channel: string): Position | undefined {
    return this.sent.get(channel);
  }

  /** The client was sent everything up to this position. */
  wasSent(channel: string, position: Position): void {
    this.missed.delete(channel);
    if (position <= (this.sent.get(channel) ?? '')) return;
    this.sent.set(channel, position);
    this.due.add(channel);
  }

  leave(channel: string): void {
    const known = [this.missed, this.sent, this.answered].filter((positions) => positions.delete(channel));
    if (known.length === 0) return;
    this.due.delete(channel);
    this.fresh.delete(channel);
    this.noteUnsaved(channel, null);
  }

  get isPingDue(): boolean {
    return this.isCurrent && this.due.size > 0;
  }

  /** The client was sent a ping, for whatever reason. @returns what its answer acknowledges, if anything new */
  pinged(): (() => void) | undefined {
    if (this.due.size === 0) return undefined;
    const sent = Array.from(this.due, (channel) => [channel, this.sent.get(channel)!] as const);
    this.due.clear();
    return () => {
      for (const [channel, position] of sent) this.answers(channel, position);
    };
  }

  get hasUnsaved(): boolean {
    return this.isCurrent && this.isProven && this.unsaved.size > 0;
  }

  /** Nothing before the client is proven. */
  takeUnsaved(): readonly PositionChange[] {
    if (!this.isProven) return [];
    const changes = [...this.unsaved];
    this.unsaved.clear();
    return changes;
  }

  /** With the first change that the store has saved, the connection has taken the session. */
  wasSaved({ positions, userId }: { readonly positions: readonly PositionChange[]; readonly userId?: string }): void {
    for (const [channel] of positions) this.fresh.delete(channel);
    if (positions.length > 0 || userId !== undefined) this.isTaken = true;
  }

  /** Keeps changes that could not be saved, unless newer ones replace them. */
  putBack(changes: readonly PositionChange[]): void {
    for (const [channel, position] of changes) if (!this.unsaved.has(channel)) this.unsaved.set(channel, position);
  }

  /**
   * The store has forgotten the session. The saved positions may be incomplete: the client may have left this connection
   * for another one, and been on other channels there, or for longer on those that it was about to join here. The next
   * connection reports a gap on those.
   */
  forgotten(): void {
    this.isDoubtful = true;
    for (const channel of this.fresh) {
      this.answered.set(channel, afterGap(this.answered.get(channel)!));
      this.due.add(channel);
    }
    this.saveAll();
    this.unsaved.set(others, gapBefore);
  }

  /** Marks everything as unsaved. */
  saveAll(): void {
    for (const [channel, position] of [...this.missed, ...this.answered]) this.unsaved.set(channel, position);
  }

  /** The client may have left the channel meanwhile, and joined again. */
  private answers(channel: string, position: Position): void {
    if (!this.sent.has(channel)) return;
    this.fresh.delete(channel);
    if (position > (this.answered.get(channel) ?? '')) this.got(channel, position);
  }

  private got(channel: string, position: Position): void {
    this.answered.set(channel, position);
    this.noteUnsaved(channel, position);
  }

  /** Drops the oldest positions, so that a client that never resubscribes does not accumulate them. */
  private forgetMissed(most: number): void {
    for (const channel of this.missed.keys()) {
      if (this.missed.size + this.sent.size <= most) return;
      this.leave(channel);
    }
  }

  /** While saving fails, the latest change wins. */
  private noteUnsaved(channel: string, position: Position | null): void {
    this.unsaved.delete(channel);
    this.unsaved.set(channel, position);
    for (const oldest of this.unsaved.keys()) {
      if (this.unsaved.size <= 2 * this.maxChannels) return;
      this.unsaved.delete(oldest);
    }
  }
}

const afterGap = (position: Position): Position => (position.startsWith(gapBefore) ? position : gapBefore + position);
