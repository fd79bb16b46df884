import { DueChanges } from './due-changes.js';
import type { Frame } from './frame.js';
import { type KnownChange, KnownMembers } from './known-members.js';

/** A member's further changes within this time wait for as long: one that comes and goes all the time costs little. */
export const flapWindowMs = 200;

/**
 * The changes of a channel's shared state, such as its members, on their way to the connections of this process. One that
 * a newer change has overtaken is not sent, and those that cancel each other before they are sent are not sent either.
 */
export class ChannelChanges {
  readonly members: KnownMembers;
  private due: DueChanges | undefined;

  constructor(channel: string) {
    this.members = new KnownMembers(channel);
  }

  /**
   * Takes in the change of a frame that is about to be published.
   * @param isSent whether the channel has connections that it is sent to
   * @returns 'never' when a newer change of the same user came first, 'later' for a user that has just changed
   */
  admit(frame: Frame, isSent: boolean): 'now' | 'later' | 'never' {
    const { change } = frame;
    if (!change) return 'now';
    const before = this.members.latestOf(change.userId);
    const latest = this.members.record(frame, change, before);
    if (!latest) return 'never';
    if (isSent) (this.due ??= new DueChanges()).add(frame, before, latest);
    return before && isFlapping(before) ? 'later' : 'now';
  }

  /** A connection was sent the frame ahead of the others. */
  sentAhead({ change }: Frame): void {
    if (change) this.due?.forget(change.userId);
  }

  /** Those of the frames that are still to be sent, now that all that are due are sent. */
  takeDue(frames: readonly Frame[]): readonly Frame[] {
    const { due } = this;
    this.due = undefined;
    return due?.hasCancelled ? frames.filter(({ isCancelled }) => !isCancelled) : frames;
  }
}

const isFlapping = ({ userId, at }: KnownChange): boolean => userId !== '' && performance.now() - at < flapWindowMs;
