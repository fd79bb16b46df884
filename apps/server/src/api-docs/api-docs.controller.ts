import { Controller, Get, Param, type StreamableFile } from '@nestjs/common';
import { ModuleRef } from '@nestjs/core';
import { packageFile, PageHeaders, publicFile, streamed } from '../public-files.js';
import { type ApiDocuments, apiDocuments } from './documents.js';

const files = new Map([
  ['docs.js', publicFile('docs/docs.js')],
  ['sign.js', publicFile('docs/sign.js')],
  ['docs.css', publicFile('docs/docs.css')],
  ['md5.js', packageFile('js-md5/build/md5.min.js')],
  ['sha256.js', packageFile('js-sha256/build/sha256.min.js')],
  ['swagger-ui.js', packageFile('swagger-ui-dist/swagger-ui-bundle.js')],
  ['swagger-ui.css', packageFile('swagger-ui-dist/swagger-ui.css')],
]);

/** The OpenAPI documents of both APIs, and a page that shows them. */
@Controller('docs')
export class ApiDocsController {
  private documents?: Promise<ApiDocuments>;

  constructor(private readonly modules: ModuleRef) {}

  /** Swagger UI sets styles in its elements. */
  @Get()
  @PageHeaders(" 'unsafe-inline'")
  page(): StreamableFile {
    return streamed(publicFile('docs/index.html'));
  }

  @Get('channels.json')
  async channels(): Promise<object> {
    return (await this.read()).channels;
  }

  @Get('push.json')
  async push(): Promise<object> {
    return (await this.read()).push;
  }

  @Get(':file')
  file(@Param('file') name: string): StreamableFile {
    return streamed(files.get(name));
  }

  private read(): Promise<ApiDocuments> {
    return (this.documents ??= apiDocuments(this.modules));
  }
}
