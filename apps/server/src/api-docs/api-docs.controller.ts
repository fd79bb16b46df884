import { Controller, Get, Header, type StreamableFile } from '@nestjs/common';
import { ModuleRef } from '@nestjs/core';
import { publicFile, streamed, swaggerUiFile } from '../public-files.js';
import { type ApiDocuments, apiDocuments } from './documents.js';

/** All content comes from this server. Swagger UI sets styles and embeds images in them. */
const contentSecurityPolicy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self' 'unsafe-inline'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

/** The OpenAPI documents of both APIs, and a page that shows them. */
@Controller('docs')
export class ApiDocsController {
  private documents?: Promise<ApiDocuments>;

  constructor(private readonly modules: ModuleRef) {}

  @Get()
  @Header('content-security-policy', contentSecurityPolicy)
  @Header('x-content-type-options', 'nosniff')
  @Header('referrer-policy', 'no-referrer')
  page(): StreamableFile {
    return streamed(publicFile('docs/index.html'), 'text/html; charset=utf-8');
  }

  @Get('channels.json')
  async channels(): Promise<object> {
    return (await this.read()).channels;
  }

  @Get('push.json')
  async push(): Promise<object> {
    return (await this.read()).push;
  }

  @Get('docs.js')
  script(): StreamableFile {
    return streamed(publicFile('docs/docs.js'), 'text/javascript; charset=utf-8');
  }

  @Get('docs.css')
  style(): StreamableFile {
    return streamed(publicFile('docs/docs.css'), 'text/css; charset=utf-8');
  }

  @Get('swagger-ui.js')
  swaggerUi(): StreamableFile {
    return streamed(swaggerUiFile('swagger-ui-bundle.js'), 'text/javascript; charset=utf-8');
  }

  @Get('swagger-ui.css')
  swaggerUiStyle(): StreamableFile {
    return streamed(swaggerUiFile('swagger-ui.css'), 'text/css; charset=utf-8');
  }

  private read(): Promise<ApiDocuments> {
    return (this.documents ??= apiDocuments(this.modules));
  }
}
