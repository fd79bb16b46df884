import { type INestApplication, Module, type Provider } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { ExpressAdapter } from '@nestjs/platform-express';
import { FastifyAdapter } from '@nestjs/platform-fastify';
import type { AddressInfo } from 'node:net';
import Pusher from 'pusher';
import { ChannelsModule } from 'rookery/channels';
import { PresenceModule } from 'rookery/presence';
import { testApp } from './channels-server.js';

export const platforms = {
  Fastify: () => new FastifyAdapter(),
  Express: () => new ExpressAdapter(),
} as const;

@Module({})
class HostModule {}

/** An application of its own with gateways of its own, that has imported Channels. */
export async function startHost(
  platform: keyof typeof platforms,
  providers: Provider[],
  prepare: (app: INestApplication) => void,
  options: Partial<Parameters<typeof ChannelsModule.forRoot>[0]> = {},
) {
  const apps = [{ ...testApp, clientEvents: true }];
  const imports = [PresenceModule.forRoot(), ChannelsModule.forRoot({ apps, ...options })];
  const module = { module: HostModule, imports, providers };
  const app = await NestFactory.create(module, platforms[platform](), {
    rawBody: true,
    abortOnError: false,
    logger: false,
  });
  prepare(app);
  await app.listen(0, '127.0.0.1');
  const { port } = app.getHttpServer().address() as AddressInfo;
  const pusher = new Pusher({ appId: testApp.id, ...testApp, host: '127.0.0.1', port: String(port) });
  return { app, port, pusher, close: () => app.close() };
}
