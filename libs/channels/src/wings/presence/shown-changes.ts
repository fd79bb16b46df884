import type { Member, Roster } from 'rookery/presence';
import type { Frame } from '../../frames/frame.js';
import { memberAdded } from '../../protocol/frames.js';

/** By the members of a roster: subscriptions that wait for the same read get the same one. */
const indexes = new WeakMap<readonly Member[], ReadonlyMap<string, Member>>();

/**
 * Answers, for the changes that were held while a client received this roster, whether the client sees them already. Of a
 * member that leaves and returns, the departure may come last, and is then dropped: the roster may be older than both.
 * @returns to be called with the changes in their order
 */
export function shownBy({ members }: Roster, channel: string): (frame: Pick<Frame, 'change' | 'event'>) => boolean {
  /** What the client was sent of a user after the roster; undefined for one that left. */
  const later = new Map<string, string | undefined>();
  return ({ change, event }) => {
    // The count of the channel's subscriptions changes as well, and has no user.
    if (!change?.userId) return false;
    const { userId, isPresent } = change;
    const shown = later.has(userId) ? later.get(userId) : textOf(members, channel, userId);
    if (shown === (isPresent ? event : undefined)) return true;
    later.set(userId, isPresent ? event : undefined);
    return false;
  };
}

function textOf(members: readonly Member[], channel: string, userId: string): string | undefined {
  let index = indexes.get(members);
  if (!index) indexes.set(members, (index = new Map(members.map((member) => [member.userId, member]))));
  const member = index.get(userId);
  return member && memberAdded(channel, userId, member.userInfoJson);
}
