import { Controller, Get, NotFoundException, type OnModuleInit, Param, StreamableFile } from '@nestjs/common';
import { builtPage } from './built-page.js';

@Controller()
export class PageController implements OnModuleInit {
  private files: Awaited<ReturnType<typeof builtPage>> = new Map();

  async onModuleInit(): Promise<void> {
    this.files = await builtPage();
  }

  @Get()
  page(): StreamableFile {
    return this.file('index.html', 'text/html');
  }

  @Get('assets/:name')
  asset(@Param('name') name: string): StreamableFile {
    return this.file(`assets/${name}`, name.endsWith('.css') ? 'text/css' : 'text/javascript');
  }

  private file(path: string, type: string): StreamableFile {
    const content = this.files.get(path);
    if (content === undefined) throw new NotFoundException();
    return new StreamableFile(Buffer.from(content), { type });
  }
}
