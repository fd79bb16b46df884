import { Injectable, Module } from '@nestjs/common';
import { AuthorizationModule, ChannelAuthorizer, type ChannelMember } from 'rookery/authorization';
import { randomUUID } from 'node:crypto';
import { DemoController } from './demo.controller.js';

/** Admits every visitor to the page's channel, each tab as a different user. */
@Injectable()
class DemoVisitors {
  @ChannelAuthorizer('presence-demo')
  enter(): ChannelMember {
    return { id: randomUUID() };
  }
}

/** A demo in development, at `/`: a page whose visitors talk to each other. */
@Module({
  imports: [AuthorizationModule.forRoot({ paths: { channels: '/demo/auth' } })],
  controllers: [DemoController],
  providers: [DemoVisitors],
})
export class DemoModule {}
