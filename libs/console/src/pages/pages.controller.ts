import { type ExecutionContext, Get, StreamableFile, UseGuards } from '@nestjs/common';
import { PathTail, RookeryController } from 'rookery/internal/http';
import { Context } from '../access/console-request.js';
import { ConsoleHeaders, PageGuard } from '../access/console.guard.js';
import { ConsoleError, notFound } from '../console.errors.js';
import { consoleFile, consoleFolder } from './console-files.js';

/** The console's files, and for all other paths below `/console` its single page. */
@RookeryController('console')
@UseGuards(PageGuard)
export class PagesController {
  constructor(private readonly headers: ConsoleHeaders) {}

  @Get()
  first(@Context() context: ExecutionContext): Promise<StreamableFile> {
    return this.page('index.html', context);
  }

  @Get('*tail')
  any(@PathTail() tail: string, @Context() context: ExecutionContext): Promise<StreamableFile> {
    return this.page(tail, context);
  }

  private async page(name: string, context: ExecutionContext): Promise<StreamableFile> {
    const folder = consoleFolder();
    if (folder === undefined)
      throw new ConsoleError(503, 'The pages of the console are not built here: run npm run build. Its API answers.');
    const asked = await consoleFile(folder, name);
    // Every other path is a route within the page, such as socket 123.456.
    if (!asked && /^assets\/|^\.|^[^/]+\.\w+$/.test(name)) throw notFound('The file');
    const file = asked ?? (await consoleFile(folder, 'index.html'));
    if (!file) throw notFound('The page');
    const kept = file.isHashed ? 'public, max-age=31536000, immutable' : 'no-cache';
    this.headers.set(context, { 'cache-control': kept });
    return new StreamableFile(file.bytes, { type: file.type, length: file.bytes.length });
  }
}
