import { dropOldest, hashOf } from '#common';
import type { Roster } from 'rookery/presence';
import type { MemberChange } from '../broker/broker.js';
import { memberAdded } from '../protocol/frames.js';
import { Contradictions } from './contradictions.js';
import type { Frame } from './frame.js';

/** A change that was sent to connections, with the hash of the frame's text. */
export interface KnownChange extends MemberChange {
  readonly words: number;
  /** When it was published here, by performance.now(). */
  readonly at: number;
  /** It was not sent: the roster of one connection shows it, and that of another may be older. */
  readonly isLearned?: true;
}

/** How many absent users' last changes are remembered, to recognize late changes. */
const rememberedChanges = 1000;

/** What this process's subscribers of a channel know of its members. */
export class KnownMembers {
  private isRosterKnown = false;
  /** Version of the last roster compared; older changes that contradict it are ignored. */
  private comparedAt = 0;
  /** The last changes of present users. */
  private readonly present = new Map<string, KnownChange>();
  /** The last changes of absent users, the least recently changed first. */
  private absent: Map<string, KnownChange> | undefined;
  private contradictions: Contradictions | undefined;
  /** Version of the last later roster. */
  private contradictedAt = 0;

  constructor(private readonly channel: string) {}

  /**
   * Takes over the first roster that a subscriber received: later changes reach this channel as events. Of later rosters,
   * remembers what contradicts these.
   */
  learn(roster: Roster): void {
    if (this.isRosterKnown) return this.contradict(roster);
    this.isRosterKnown = true;
    const { members, version } = roster;
    for (const { userId, userInfoJson } of members) {
      if ((this.latestOf(userId)?.version ?? 0) >= version) continue;
      const words = hashOf(memberAdded(this.channel, userId, userInfoJson));
      this.present.set(userId, { userId, isPresent: true, version, words, at: -Infinity, isLearned: true });
      this.absent?.delete(userId);
    }
  }

  /**
   * The changes that subscribers need to reach this roster, to be sent at once. They know the changes that were published
   * and, if the first of them received a roster, its members. Those that received a later one may lack a member even so:
   * the earlier changes that agree with this roster are still sent, and what later rosters contradicted is sent again.
   */
  missingChanges({ members, version }: Roster): readonly MemberChange[] {
    if (version < this.comparedAt) return [];
    this.comparedAt = version;
    const present = new Set(members.map(({ userId }) => userId));
    const added = members
      .map(({ userId }) => ({ userId, isPresent: true, version }))
      .filter(({ userId }) => !this.present.has(userId));
    const removed = Array.from(this.present.keys())
      .filter((userId) => !present.has(userId))
      .map((userId) => ({ userId, isPresent: false, version }));
    const undone = (this.contradictions?.before(version) ?? [])
      .filter(([userId]) => this.present.has(userId) === present.has(userId))
      .map(([userId, previous]) => ({ userId, isPresent: present.has(userId), version, previous }));
    return [...added, ...removed, ...undone].filter(({ userId }) => (this.latestOf(userId)?.version ?? 0) < version);
  }

  /**
   * Records a change that is about to be sent; if it repeats the last one of the user, marks the frame as a repeat: a
   * change in between was lost or overtaken, and connections know it only if their roster showed it.
   * @param latest the user's last change
   * @returns nothing when a newer change of the same user came first: several processes announce, at different speeds
   */
  record(frame: Frame, change: MemberChange, latest: KnownChange | undefined): KnownChange | undefined {
    const { isPresent, previous = 0 } = change;
    if (change.version < this.comparedAt && isPresent !== (latest?.isPresent ?? false)) return undefined;
    if (latest && latest.version >= change.version) {
      if (!latest.isLearned) return undefined;
      return latest.version === change.version ? this.keep(change, latest.words) : latest;
    }
    const words = hashOf(frame.text);
    if (latest && latest.isPresent === isPresent && latest.words === words)
      frame.repeats = Math.max(latest.version, previous - 1);
    else if (!latest && !isPresent && previous > 0) frame.repeats = previous - 1;
    return this.keep(change, words);
  }

  /** The last change of a user. */
  latestOf(userId: string): KnownChange | undefined {
    return this.present.get(userId) ?? this.absent?.get(userId);
  }

  private contradict({ members, version }: Roster): void {
    // Those that join at once share a roster.
    if (version === this.contradictedAt) return;
    this.contradictedAt = version;
    let shown = 0;
    for (const { userId, since } of members) {
      const known = this.present.get(userId);
      if (known) shown += 1;
      if (!known || known.version < since) this.doubt(userId, since, version);
    }
    if (shown === this.present.size) return;
    const present = new Set(members.map(({ userId }) => userId));
    for (const userId of this.present.keys()) if (!present.has(userId)) this.doubt(userId, undefined, version);
  }

  private doubt(userId: string, since: number | undefined, version: number): void {
    if ((this.latestOf(userId)?.version ?? 0) < version)
      (this.contradictions ??= new Contradictions()).add(userId, since, version);
  }

  private keep({ userId, isPresent, version, previous }: MemberChange, words: number): KnownChange {
    this.contradictions?.settle(userId, isPresent, version);
    const known = { userId, isPresent, version, previous, words, at: performance.now() };
    this.absent?.delete(userId);
    if (isPresent) {
      this.present.set(userId, known);
      return known;
    }
    this.present.delete(userId);
    this.absent ??= new Map();
    this.absent.set(userId, known);
    dropOldest(this.absent, rememberedChanges);
    return known;
  }
}
