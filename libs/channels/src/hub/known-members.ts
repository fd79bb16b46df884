import { hashOf } from 'rookery/common';
import type { Roster } from 'rookery/presence';
import type { MemberChange } from '../broker/broker.js';
import { memberAdded } from '../protocol/frames.js';
import type { Frame } from './frame.js';

/** A change that connections were told of, and in which words: by their hash. */
interface KnownChange extends MemberChange {
  readonly words: number;
}

/** Users whose last change is remembered though they are absent: one that comes late is then known to be late. */
const rememberedChanges = 1000;

/** What the subscribers of a channel in this process know of its members. */
export class KnownMembers {
  private isRosterKnown = false;
  private readonly changes = new Map<string, KnownChange>();

  constructor(private readonly channel: string) {}

  /** The first roster that a subscriber got: of what came after it, this channel has heard. */
  learn({ members, version }: Roster): void {
    if (this.isRosterKnown) return;
    this.isRosterKnown = true;
    for (const { userId, userInfoJson } of members) {
      if ((this.changes.get(userId)?.version ?? 0) > version) continue;
      const words = hashOf(memberAdded(this.channel, userId, userInfoJson));
      this.changes.set(userId, { userId, isPresent: true, version, words });
    }
  }

  /**
   * What the subscribers have not been told of a roster. They know of the changes that came; where the first who joined
   * got a roster, of all members in it.
   */
  untold({ members, version }: Roster): readonly MemberChange[] {
    const present = new Set(members.map(({ userId }) => userId));
    const added = members
      .map(({ userId }) => ({ userId, isPresent: true, version }))
      .filter(({ userId }) => !this.changes.get(userId)?.isPresent);
    const removed = Array.from(this.changes.values())
      .filter(({ userId, isPresent }) => isPresent && !present.has(userId))
      .map(({ userId }) => ({ userId, isPresent: false, version }));
    return [...added, ...removed].filter(({ userId }) => (this.changes.get(userId)?.version ?? 0) < version);
  }

  /**
   * Keeps a change that is to be told; where it repeats what was told of the user last, the frame says so.
   * @returns false where a newer change of the same user has come already: its tellers are other processes, and one was
   * faster
   */
  tell(frame: Frame, change: MemberChange): boolean {
    const latest = this.changes.get(change.userId);
    if (latest && latest.version >= change.version) return false;
    const words = hashOf(frame.text);
    if (latest && latest.isPresent === change.isPresent && latest.words === words) frame.repeats = latest.version;
    // Re-inserting makes it the last entry; the least recently changed come first.
    this.changes.delete(change.userId);
    this.changes.set(change.userId, { ...change, words });
    if (this.changes.size > rememberedChanges) this.forgetAbsent();
    return true;
  }

  private forgetAbsent(): void {
    let looks = 0;
    for (const [userId, { isPresent }] of this.changes) {
      if (!isPresent) this.changes.delete(userId);
      if (++looks === 16) return;
    }
  }
}
