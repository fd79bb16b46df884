import type { Frame } from './frame.js';
import type { KnownChange } from './known-members.js';

interface DueChange {
  /** The last change of the user that is due. */
  frame: Frame;
  /** What connections knew of the user before the changes that are due. */
  readonly before: KnownChange;
  /** The version of the first of these. */
  readonly since: number;
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
    // It repeats what some connections know.
    if (frame.repeats !== undefined) this.byUser.delete(userId);
    else if (!due) {
      if (before && isNext(before, latest)) this.byUser.set(userId, { frame, before, since: version });
    } else if (due.before.isPresent === latest.isPresent && due.before.words === latest.words) {
      frame.repeats = due.since - 1;
      this.replace(due, frame);
    } else if (due.frame.repeats !== undefined) this.replace(due, frame);
    // Left, and returned as another.
    else this.byUser.delete(userId);
  }

  /** A connection was sent a change of the user ahead of the others. */
  forget(userId: string): void {
    this.byUser.delete(userId);
  }

  private replace(due: DueChange, frame: Frame): void {
    due.frame.isCancelled = true;
    due.frame = frame;
    this.isAnyCancelled = true;
  }
}

/**
 * Whether all connections with an older roster know the change before: it was sent to them, and there was none in
 * between. One that was only learned from the roster of a connection may be unknown to others.
 */
const isNext = (before: KnownChange, { isPresent, previous }: KnownChange): boolean =>
  !before.isLearned && before.isPresent !== isPresent && before.version === previous;
