import { Controller, Get, StreamableFile } from '@nestjs/common';
import { createReadStream } from 'node:fs';
import { join } from 'node:path';
import { rolldown } from 'rolldown';

const publicFolder = join(import.meta.dirname, '../public');

/** The page, its looks, and its program with the packages that it imports. */
@Controller()
export class PageController {
  private program: Promise<Buffer> | undefined;

  @Get()
  page(): StreamableFile {
    return new StreamableFile(createReadStream(join(publicFolder, 'index.html')), { type: 'text/html' });
  }

  @Get('style.css')
  style(): StreamableFile {
    return new StreamableFile(createReadStream(join(import.meta.dirname, '../../style.css')), { type: 'text/css' });
  }

  @Get('main.js')
  async script(): Promise<StreamableFile> {
    this.program ??= this.bundle();
    return new StreamableFile(await this.program, { type: 'text/javascript' });
  }

  /** Your own page has its bundler already. */
  private async bundle(): Promise<Buffer> {
    // React's "use client" says nothing here: no page is rendered on the server.
    const checks = { moduleLevelDirective: false };
    const bundled = await rolldown({ input: join(publicFolder, 'main.jsx'), platform: 'browser', checks });
    const { output } = await bundled.generate({ minify: true });
    return Buffer.from(output[0].code);
  }
}
