import { Injectable } from '@nestjs/common';
import { ChannelAuthorizer, type ChannelMember } from 'rookery/authorization';
import { randomUUID } from 'node:crypto';

/** Admits every visitor to the page's channel, each tab as a different user. */
@Injectable()
export class DemoVisitors {
  @ChannelAuthorizer('presence-demo')
  enter(): ChannelMember {
    return { id: randomUUID() };
  }
}
