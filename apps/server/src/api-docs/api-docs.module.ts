import { Module } from '@nestjs/common';
import { ApiDocsController } from './api-docs.controller.js';

/** What a server says of its HTTP APIs in development, at `/docs`. */
@Module({ controllers: [ApiDocsController] })
export class ApiDocsModule {}
