import { ConsoleLogger } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { FastifyAdapter, type NestFastifyApplication } from '@nestjs/platform-fastify';
import { AppModule } from './app.module.js';
import type { ServerConfig } from './config/config.js';

/** Composes the server; it does not listen yet. */
export function createServer(config: ServerConfig): Promise<NestFastifyApplication> {
  return NestFactory.create<NestFastifyApplication>(AppModule.forRoot(config), new FastifyAdapter(), {
    logger: new ConsoleLogger({ json: true }),
    abortOnError: false,
  });
}
