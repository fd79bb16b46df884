import {
  type Holder,
  type Joined,
  type Left,
  type Member,
  MemoryPresenceRepository,
  type Presence,
  type PresenceChange,
  type Room,
  type Roster,
} from 'rookery/presence';
import { LatestInfos } from './latest-infos.js';
import { type Answered, Announcements, type Said, subjectIn, versionIn } from './announcements.js';

/** Members, in a store that a replica without the latest changes may replace. */
export class ReplicatedPresence extends MemoryPresenceRepository {
  private readonly announcements = new Announcements<PresenceChange>();
  /** No roster has an earlier version: processes may know changes that were lost. */
  private least = 0;
  private isPuttingBack = false;

  /** @param latest what the infos of members should be */
  constructor(readonly latest: LatestInfos) {
    super();
  }

  override join(room: Room, holder: Holder, member: Member, limit: number): Joined {
    const wasPresent = this.has(room, member.userId);
    const joined = super.join(room, holder, member, limit);
    if (joined.outcome === 'full' || this.isPuttingBack) return joined;
    if (wasPresent) this.latest.joinedBy(room, member.userId);
    else this.latest.set(room, member);
    return joined;
  }

  override leave(room: Room, holder: Holder): Left | undefined {
    const left = super.leave(room, holder);
    if (left && !this.has(room, left.userId)) this.latest.delete(room, left.userId);
    return left;
  }

  override update(room: Room, member: Member): number | undefined {
    const version = super.update(room, member);
    if (version !== undefined) this.latest.set(room, member);
    return version;
  }

  override announce(nodeId: string, held: readonly Presence[]): readonly PresenceChange[] {
    this.isPuttingBack = true;
    try {
      return this.changed(super.announce(nodeId, held));
    } finally {
      this.isPuttingBack = false;
    }
  }

  override takeOut(nodeId: string, heirId: string): readonly PresenceChange[] {
    return this.changed(super.takeOut(nodeId, heirId));
  }

  /** Takes the place of another. */
  outlive(lost: ReplicatedPresence): void {
    this.version = lost.version + 1;
    this.least = this.version;
  }

  override roster(room: Room): Roster {
    const { members, version } = super.roster(room);
    return { members, version: Math.max(version, this.least) };
  }

  override confirmAbsent(room: Room, userId: string, version: number, call = ''): boolean {
    const subject = subjectIn([room, userId, version]);
    if (!super.confirmAbsent(room, userId, version))
      return call !== '' && this.announcements.wasConfirmedBy(subject, version, call);
    this.announcements.confirm(subject, version, call);
    return true;
  }

  /** Takes out a part of what a dead process held, as if only some partitions had done so. The call itself fails. */
  takeOutPart(nodeId: string): void {
    let found = 0;
    this.takeOutIf(nodeId, nodeId, () => (found += 1) % 2 === 0);
  }

  /** @param heirId of a dead process; otherwise empty */
  say(nodeId: string, heirId: string, held: readonly Presence[], { known, confirmed }: Said): Answered<PresenceChange> {
    const lacking = confirmed.filter((each) => this.announcements.repeats(subjectIn(each), versionIn(each)));
    for (const each of lacking) super.confirmAbsent(each[0] as Room, each[1] as string, versionIn(each));
    const changes = [...(heirId === '' ? this.announce(nodeId, held) : this.takeOut(nodeId, heirId))];
    for (const [room, userId] of lacking) this.tellAgain(room as Room, userId as string, changes);
    return this.announcements.answer(heirId === '' ? nodeId : heirId, known, changes, (this.version += 1));
  }

  private has(room: Room, userId: string): boolean {
    return super.roster(room).members.some((member) => member.userId === userId);
  }

  /** Members that processes put back have the info that they had. */
  private changed(changes: readonly PresenceChange[]): readonly PresenceChange[] {
    for (const { room, member, isPresent } of changes)
      if (!isPresent) this.latest.delete(room, member.userId);
      else this.latest.putBack(room, member);
    return changes;
  }

  /** The user is present, but was announced as absent and not as present again. */
  private tellAgain(room: Room, userId: string, changes: PresenceChange[]): void {
    const member = this.roster(room).members.find((each) => each.userId === userId);
    if (!member) return;
    const told = changes.findIndex((each) => each.room.name === room.name && each.member.userId === userId);
    if (told >= 0) {
      const { isReturn: _, ...change } = changes[told]!;
      changes[told] = change;
      return;
    }
    this.least = this.version += 1;
    changes.push({ room, member, isPresent: true, version: this.version });
  }
}
