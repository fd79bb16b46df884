import { Controller, Get, StreamableFile } from '@nestjs/common';
import { createReadStream } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';

const pusherJs = createRequire(import.meta.url).resolve('pusher-js/dist/web/pusher.min.js');

/** The page, its looks, and pusher-js as published. */
@Controller()
export class PageController {
  @Get()
  page(): StreamableFile {
    return new StreamableFile(createReadStream(join(import.meta.dirname, '../public/index.html')), {
      type: 'text/html',
    });
  }

  @Get('style.css')
  style(): StreamableFile {
    return new StreamableFile(createReadStream(join(import.meta.dirname, '../../style.css')), { type: 'text/css' });
  }

  @Get('pusher.js')
  script(): StreamableFile {
    return new StreamableFile(createReadStream(pusherJs), { type: 'text/javascript' });
  }
}
