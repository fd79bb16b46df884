import { Controller, Get, Header, NotFoundException, Param, StreamableFile } from '@nestjs/common';
import { createReadStream } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { instance } from './settings.js';

const sdk = dirname(createRequire(import.meta.url).resolve('@pusher/push-notifications-web/package.json'));
const file = (path: string, type: string) => new StreamableFile(createReadStream(path), { type });

/** The page, its looks, its service worker, and the SDK as published. */
@Controller()
export class PageController {
  @Get()
  page(): StreamableFile {
    return file(join(import.meta.dirname, '../public/index.html'), 'text/html');
  }

  @Get('style.css')
  style(): StreamableFile {
    return file(join(import.meta.dirname, '../../style.css'), 'text/css');
  }

  @Get('service-worker.js')
  worker(): StreamableFile {
    return file(join(import.meta.dirname, '../public/service-worker.js'), 'text/javascript');
  }

  @Get('instance.js')
  @Header('content-type', 'text/javascript')
  instance(): string {
    return `export const instanceId = ${JSON.stringify(instance.id)};`;
  }

  @Get('beams.js')
  script(): StreamableFile {
    return file(join(sdk, 'dist/push-notifications-cdn.js'), 'text/javascript');
  }

  /** The modules of the SDK's worker import each other without an extension. */
  @Get('beams/:module')
  module(@Param('module') module: string): StreamableFile {
    if (!['service-worker', 'do-request', 'device-state-store'].includes(module)) throw new NotFoundException();
    return file(join(sdk, `src/${module}.js`), 'text/javascript');
  }
}
