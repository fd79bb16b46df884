import { Injectable } from '@nestjs/common';
import { type ChannelActivity, type MemberActivity, OnChannelVacated, OnMemberAdded } from 'rookery/channels';

@Injectable()
export class Rooms {
  readonly open = new Map<string, Set<string>>();

  @OnMemberAdded('presence-room.*')
  async entered({ channel, userId }: MemberActivity) {
    this.open.set(channel, new Set(this.open.get(channel)).add(userId));
  }

  @OnChannelVacated('presence-room.*')
  async closed({ channel }: ChannelActivity) {
    this.open.delete(channel);
  }
}
