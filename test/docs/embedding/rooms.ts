import { Injectable } from '@nestjs/common';
import { type ChannelHappening, type MemberHappening, OnChannelVacated, OnMemberAdded } from 'rookery/channels';

@Injectable()
export class Rooms {
  readonly open = new Map<string, Set<string>>();

  @OnMemberAdded('presence-room.*')
  async entered({ channel, userId }: MemberHappening) {
    this.open.set(channel, new Set(this.open.get(channel)).add(userId));
  }

  @OnChannelVacated('presence-room.*')
  async closed({ channel }: ChannelHappening) {
    this.open.delete(channel);
  }
}
