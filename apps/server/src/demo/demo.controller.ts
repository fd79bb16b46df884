import { Controller, Get, Header, type StreamableFile } from '@nestjs/common';
import { publicFile, pusherJsFile, streamed } from '../public-files.js';

/** All content comes from this server, and scripts run only from files. */
const contentSecurityPolicy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

/** The page and its files, including pusher-js as published. */
@Controller()
export class DemoController {
  @Get()
  @Header('content-security-policy', contentSecurityPolicy)
  @Header('x-content-type-options', 'nosniff')
  @Header('referrer-policy', 'no-referrer')
  page(): StreamableFile {
    return streamed(publicFile('index.html'), 'text/html; charset=utf-8');
  }

  @Get('demo/page.css')
  style(): StreamableFile {
    return streamed(publicFile('page.css'), 'text/css; charset=utf-8');
  }

  @Get('demo/page.js')
  script(): StreamableFile {
    return streamed(publicFile('page.js'), 'text/javascript; charset=utf-8');
  }

  @Get('demo/pusher.js')
  pusherJs(): StreamableFile {
    return streamed(pusherJsFile(), 'text/javascript; charset=utf-8');
  }
}
