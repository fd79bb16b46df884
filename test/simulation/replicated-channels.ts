import { type ChannelOccupancy, MemoryChannelRepository, type NodeHoldings } from 'rookery/channels';
import { type Answered, Announcements, type Said, subjectIn, versionIn } from './announcements.js';

/** Occupied channels, in a store that a replica without the latest changes may replace. */
export class ReplicatedChannels extends MemoryChannelRepository {
  private readonly announcements = new Announcements<ChannelOccupancy>();

  /** Takes the place of another. */
  outlive(lost: ReplicatedChannels): void {
    this.version = lost.version + 1;
  }

  override confirmVacated(appId: string, channel: string, version: number, call = ''): boolean {
    const subject = subjectIn([appId, channel, version]);
    if (!super.confirmVacated(appId, channel, version))
      return call !== '' && this.announcements.wasConfirmedBy(subject, version, call);
    this.announcements.confirm(subject, version, call);
    return true;
  }

  /** @param heirId of a dead process; otherwise empty */
  say(nodeId: string, heirId: string, held: NodeHoldings, { known, confirmed }: Said): Answered<ChannelOccupancy> {
    const lacking = confirmed.filter((each) => this.announcements.repeats(subjectIn(each), versionIn(each)));
    for (const each of lacking) super.confirmVacated(each[0] as string, each[1] as string, versionIn(each));
    const changes = [...(heirId === '' ? this.announce(nodeId, held) : this.takeOut(nodeId, heirId))];
    for (const [appId, channel] of lacking) this.tellAgain(appId as string, channel as string, changes);
    return this.announcements.answer(heirId === '' ? nodeId : heirId, known, changes, (this.version += 1));
  }

  /** The channel is occupied, but was announced as vacated and not as occupied again. */
  private tellAgain(appId: string, channel: string, changes: ChannelOccupancy[]): void {
    const [count = 0] = this.subscriptionCounts(appId, [channel]);
    if (count === 0) return;
    const change = { to: 'occupied', version: (this.version += 1) } as const;
    const told = changes.findIndex((each) => each.channel === channel);
    if (told < 0) changes.push({ appId, channel, count, version: change.version, change });
    else changes[told] = { ...changes[told]!, change };
  }
}
