import { Controller, Get, Injectable, Module, Param, type StreamableFile } from '@nestjs/common';
import { AuthorizationModule, ChannelAuthorizer, type ChannelMember } from 'rookery/authorization';
import { randomUUID } from 'node:crypto';
import { packageFile, PageHeaders, publicFile, streamed } from '../public-files.js';

const files = new Map([
  ['page.css', publicFile('page.css')],
  ['page.js', publicFile('page.js')],
  ['pusher.js', packageFile('pusher-js/dist/web/pusher.min.js')],
]);

/** The page and its files, including pusher-js as published. */
@Controller()
class DemoController {
  @Get()
  @PageHeaders()
  page(): StreamableFile {
    return streamed(publicFile('index.html'));
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
