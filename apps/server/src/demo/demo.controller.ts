import { Controller, Get, Param, type StreamableFile } from '@nestjs/common';
import { packageFile, PageHeaders, publicFile, streamed } from '../public-files.js';

const files = new Map([
  ['page.css', publicFile('page.css')],
  ['page.js', publicFile('page.js')],
  ['pusher.js', packageFile('pusher-js/dist/web/pusher.min.js')],
]);

/** The page and its files, including pusher-js as published. */
@Controller()
export class DemoController {
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
