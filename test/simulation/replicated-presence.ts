import { MemoryPresenceRepository, type Presence, type PresenceChange, type Room, type Roster } from 'rookery/presence';
import { type Answered, Announcements, type Said, subjectIn, versionIn } from './announcements.js';

/** Members, in a store that a replica without the latest changes may replace. */
export class ReplicatedPresence extends MemoryPresenceRepository {
  private readonly announcements = new Announcements<PresenceChange>();
  /** No roster has an earlier version: processes may know changes that were lost. */
  private least = 0;

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
