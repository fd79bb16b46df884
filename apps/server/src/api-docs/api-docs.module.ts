import { Module } from '@nestjs/common';
import { ApiDocsController } from './api-docs.controller.js';

/** Documents the HTTP APIs in development, at `/docs`. */
@Module({ controllers: [ApiDocsController] })
export class ApiDocsModule {}
