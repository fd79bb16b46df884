import {
  type DynamicModule,
  type INestApplication,
  type LoggerService,
  type Provider,
  type Type,
} from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import type { AddressInfo } from 'node:net';
import { ChannelsModule } from 'rookery/channels';
import type { HostingOptions } from '#http';
import { PresenceModule } from 'rookery/presence';
import { PublishModule } from 'rookery/publish';
import { PushDeviceModule } from 'rookery/push-device';
import { platforms } from './channels-host.js';
import { testApp } from './channels-server.js';
import { instance } from './push-app.js';

export type Platform = keyof typeof platforms;

/** One line of the boot log. */
export interface LogLine {
  readonly level: 'log' | 'warn' | 'error';
  readonly context: string;
  readonly text: string;
}

/** All of Rookery, as a host imports it. */
export const everyModule = (hosting: HostingOptions = {}): DynamicModule[] => [
  PresenceModule.forRoot(),
  ChannelsModule.forRoot({ apps: [testApp], ...hosting }),
  PushDeviceModule.forRoot({ instances: [instance], ...hosting }),
  PublishModule.forRoot(hosting),
];

class EmbeddingHost {}

/** An application with controllers and providers of its own that imports Rookery; it does not listen yet. */
export async function createHost({
  platform = 'Fastify',
  imports = everyModule(),
  controllers = [],
  providers = [],
}: {
  readonly platform?: Platform;
  readonly imports?: DynamicModule['imports'];
  readonly controllers?: Type[];
  readonly providers?: Provider[];
}) {
  const lines: LogLine[] = [];
  const keep = (level: LogLine['level']) => (text: unknown, context: unknown) =>
    void lines.push({ level, context: String(context), text: String(text) });
  const logger: LoggerService = { log: keep('log'), warn: keep('warn'), error: keep('error') };
  const module = { module: EmbeddingHost, imports, controllers, providers };
  const app = await NestFactory.create(module, platforms[platform](), { logger, abortOnError: false });
  return { app, lines };
}

/** Lets it listen on a free port of loopback. */
export async function listen(app: INestApplication): Promise<{ readonly port: number; readonly url: string }> {
  await app.listen(0, '127.0.0.1');
  const { port } = app.getHttpServer().address() as AddressInfo;
  return { port, url: `http://127.0.0.1:${port}` };
}
