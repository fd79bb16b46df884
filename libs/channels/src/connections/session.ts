import type { PositionChange, SavedSession, SessionName } from '../access/saved-session.js';
import type { Position } from '../protocol/position.js';

/**
 * What is known of what a client has got. It answers each ping after everything that came before it, so an answer says
 * that it has what had been sent by then.
 */
export class Session {
  /** Whether no newer connection has taken its place. */
  isCurrent = true;
  userId: string | undefined;
  /** What its earlier connections had, of channels to which this one has not subscribed yet. */
  private readonly missed = new Map<string, Position>();
  private socketIds: readonly string[] = [];
  private readonly sent = new Map<string, Position>();
  private readonly answered = new Map<string, Position>();
  /** Channels of which something was sent since the last ping. */
  private readonly due = new Set<string>();
  private readonly unsaved = new Map<string, Position | null>();
  /** The call of the repository that is under way. */
  saving: Promise<void> | undefined;

  /** @param mostChannels of no more is it known what the client has */
  constructor(
    readonly name: SessionName,
    private readonly mostChannels: number,
  ) {}

  /** Goes on where an earlier connection ended. */
  resume({ positions, socketIds, userId }: SavedSession): void {
    this.socketIds = socketIds;
    this.userId ??= userId;
    for (const [channel, position] of positions) this.missed.set(channel, position);
    this.forgetMissed(this.mostChannels);
  }

  /** The client is this user: what another one missed is not for them. */
  isOf(userId: string): void {
    if (this.userId !== undefined && this.userId !== userId)
      for (const channel of this.missed.keys()) this.leave(channel);
    this.userId = userId;
  }

  /** Up to where an earlier connection had the channel's events. */
  missedSince(channel: string): Position | undefined {
    return this.missed.get(channel);
  }

  /** Whether the client itself is whom an event excludes, on an earlier connection. */
  isExcluded(except: string | undefined): boolean {
    return except !== undefined && this.socketIds.includes(except);
  }

  /** From this position on, the client gets the channel's events. */
  join(channel: string, position: Position): void {
    this.forgetMissed(this.mostChannels - 1);
    this.sent.set(channel, position);
    this.got(channel, position);
  }

  /** It was sent all up to this position. */
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
    this.noteUnsaved(channel, null);
  }

  get isPingDue(): boolean {
    return this.isCurrent && this.due.size > 0;
  }

  /** The client was sent a ping, whoever wanted one. @returns what its answer proves, if it is anything new */
  pinged(): (() => void) | undefined {
    if (this.due.size === 0) return undefined;
    const sent = Array.from(this.due, (channel) => [channel, this.sent.get(channel)!] as const);
    this.due.clear();
    return () => {
      for (const [channel, position] of sent) this.answers(channel, position);
    };
  }

  get hasUnsaved(): boolean {
    return this.isCurrent && this.unsaved.size > 0;
  }

  takeUnsaved(): readonly PositionChange[] {
    const changes = [...this.unsaved];
    this.unsaved.clear();
    return changes;
  }

  /** They were not saved; what came since is newer. */
  putBack(changes: readonly PositionChange[]): void {
    for (const [channel, position] of changes) if (!this.unsaved.has(channel)) this.unsaved.set(channel, position);
  }

  /** Nothing is saved any more of what was. */
  saveAll(): void {
    for (const [channel, position] of [...this.missed, ...this.answered]) this.unsaved.set(channel, position);
  }

  /** It may have left the channel meanwhile, and joined again. */
  private answers(channel: string, position: Position): void {
    if (this.sent.has(channel) && position > (this.answered.get(channel) ?? '')) this.got(channel, position);
  }

  private got(channel: string, position: Position): void {
    this.answered.set(channel, position);
    this.noteUnsaved(channel, position);
  }

  /** A client that never comes back to its channels must not have more and more of them; those of long ago go first. */
  private forgetMissed(most: number): void {
    for (const channel of this.missed.keys()) {
      if (this.missed.size + this.sent.size <= most) return;
      this.leave(channel);
    }
  }

  /** While nothing can be saved, what changed last counts. */
  private noteUnsaved(channel: string, position: Position | null): void {
    this.unsaved.delete(channel);
    this.unsaved.set(channel, position);
    for (const oldest of this.unsaved.keys()) {
      if (this.unsaved.size <= 2 * this.mostChannels) return;
      this.unsaved.delete(oldest);
    }
  }
}
