// An application of Nest on Fastify, with all modules of the built package or, with MODULES=none, without.
import 'reflect-metadata';
import { createRequire } from 'node:module';

const require = createRequire(import.meta.url);
const { Module } = require('@nestjs/common');
const { NestFactory } = require('@nestjs/core');
const { FastifyAdapter } = require('@nestjs/platform-fastify');

class Root {}
Module(process.env.MODULES === 'none' ? {} : withAllModules())(Root);

const app = await NestFactory.create(Root, new FastifyAdapter(), { logger: ['error'] });
await app.listen(Number(process.env.PORT), '127.0.0.1');

function withAllModules() {
  const { PresenceModule } = require('rookery/presence');
  const { ChannelsModule } = require('rookery/channels');
  const { AuthorizationModule, ChannelAuthorizer } = require('rookery/authorization');
  const { PushDeviceModule } = require('rookery/push-device');
  const { PublishModule } = require('rookery/publish');
  const { NotificationsModule } = require('rookery/notifications');
  const { ConsoleModule } = require('@rookery/console');
  const app = { id: 'bench', key: 'bench-key', secret: 'bench-secret' };
  const instance = {
    id: '3e6f1b0a-6c53-4c37-9f7c-5d9e1a5c2b11',
    secretKey: 'bench-secret-key-of-an-instance-0123456789',
  };
  class Authorizers {
    isAllowed() {
      return true;
    }
  }
  const method = Object.getOwnPropertyDescriptor(Authorizers.prototype, 'isAllowed');
  ChannelAuthorizer('private-{name*}')(Authorizers.prototype, 'isAllowed', method);
  const imports = [
    PresenceModule.forRoot(),
    ChannelsModule.forRoot({ apps: [app] }),
    AuthorizationModule.forRoot(),
    PushDeviceModule.forRoot({ instances: [instance] }),
    PublishModule.forRoot(),
    NotificationsModule.forRoot({ apps: [{}] }),
    ConsoleModule.forRoot({ password: 'a-password-of-the-bench' }),
  ];
  return { imports, providers: [Authorizers] };
}
