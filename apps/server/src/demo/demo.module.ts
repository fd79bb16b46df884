import { Controller, Get, Injectable, Module, Param, type StreamableFile } from '@nestjs/common';
import { AuthorizationModule, ChannelAuthorizer, type ChannelMember } from 'rookery/authorization';
import { ChannelRepository } from 'rookery/channels';
import { randomUUID } from 'node:crypto';
import { developmentApp } from '../config/development.js';
import { packageFile, PageHeaders, publicFile, streamed } from '../public-files.js';

const files = new Map([
  ['page.css', publicFile('page.css')],
  ['page.js', publicFile('page.js')],
  ['push.js', publicFile('push.js')],
  ['pusher.js', packageFile('pusher-js/dist/web/pusher.min.js')],
]);

/** The page and its files, including pusher-js as published. */
@Controller()
class DemoController {
  constructor(private readonly channels: ChannelRepository) {}

  @Get()
  @PageHeaders()
  page(): StreamableFile {
    return streamed(publicFile('index.html'));
  }

  /** How many connections listen to the page's public channel: its tabs, and others such as a terminal. */
  @Get('demo/listening')
  async listening(): Promise<{ readonly count: number }> {
    const [count = 0] = await this.channels.subscriptionCounts(developmentApp.id, ['my-channel']);
    return { count };
  }

  @Get('demo/:file')
  file(@Param('file') name: string): StreamableFile {
    return streamed(files.get(name));
  }
}

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
