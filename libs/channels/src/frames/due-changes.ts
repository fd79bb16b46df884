import type { Frame } from './frame.js';
import type { KnownChange } from './known-members.js';

/** The changes of a user that are due, each the opposite of the one before. */
interface DueChange {
  /** The last of them; the others are cancelled. */
  frame: Frame;
  latest: KnownChange;
  readonly first: KnownChange;
  /** What connections knew of the user before. */
  readonly before: KnownChange;
  readonly versions: number[];
}

/**
 * The changes of members that are due on a channel. When a member leaves and returns, or comes and leaves, before
 * connections were sent either change, they are sent neither: only those whose roster is from in between need the last.
 */
export class DueChanges {
  private readonly byUser = new Map<string, DueChange>();
  private isAnyCancelled = false;

  /** Whether frames among those that are due are cancelled. */
  get hasCancelled(): boolean {
    return this.isAnyCancelled;
  }

  /**
   * Adds a frame that is about to be due, and cancels the one before it.
   * @param before the latest change of the user before this one
   * @param latest this one
   */
  add(frame: Frame, before: KnownChange | undefined, latest: KnownChange): void {
    const { userId, version } = latest;
    const due = this.byUser.get(userId);
    if (due && reverses(due, latest)) {
      due.versions.push(version);
      frame.reversals = due.versions;
      due.frame.isCancelled = true;
      due.frame = frame;
      due.latest = latest;
      this.isAnyCancelled = true;
    } else if (due) this.byUser.delete(userId);
    else if (frame.repeats === undefined && before && isNext(before, latest))
      this.byUser.set(userId, { frame, latest, first: latest, before, versions: [version] });
  }

  /** A connection was sent a change of the user ahead of the others. */
  forget(userId: string): void {
    this.byUser.delete(userId);
  }
}

/** Whether it leads back to what was known before the last change; not if the member returns as another. */
const reverses = ({ before, first, latest, versions }: DueChange, next: KnownChange): boolean =>
  isNext(latest, next) && next.words === (versions.length % 2 === 0 ? first : before).words;

/**
 * Whether all connections with an older roster know the change before: it was sent to them, and there was none in
 * between. One that was only learned from the roster of a connection may be unknown to others.
 */
const isNext = (before: KnownChange, { isPresent, previous }: KnownChange): boolean =>
  !before.isLearned && before.isPresent !== isPresent && before.version === previous;
