import { Injectable } from '@nestjs/common';
import { ChannelAuthorizer, type ChannelMember } from 'rookery/authorization';
import { randomUUID } from 'node:crypto';

/** Lets everybody onto the channel of the page, each tab as somebody else. */
@Injectable()
export class DemoVisitors {
  @ChannelAuthorizer('presence-demo')
  enter(): ChannelMember {
    return { id: randomUUID() };
  }
}
