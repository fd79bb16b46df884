// An application that authorizes its clients itself, in the same process, on Fastify or, with PLATFORM=express, on Express.
// It has to be the built package, as users get it.
import 'reflect-metadata';
import { createRequire } from 'node:module';

const require = createRequire(import.meta.url);
const { Module } = require('@nestjs/common');
const { NestFactory } = require('@nestjs/core');
const { AuthorizationModule, ChannelAuthorizer, ChannelParam } = require('rookery/authorization');
const { ChannelsModule } = require('rookery/channels');
const { PresenceModule } = require('rookery/presence');

class Authorizers {
  isAllowed(name) {
    return name.length > 0;
  }
}
const method = Object.getOwnPropertyDescriptor(Authorizers.prototype, 'isAllowed');
ChannelAuthorizer('private-{name*}')(Authorizers.prototype, 'isAllowed', method);
ChannelParam('name')(Authorizers.prototype, 'isAllowed', 0);

class Root {}
Module({
  imports: [
    PresenceModule.forRoot(),
    ChannelsModule.forRoot({
      apps: [{ id: 'bench', key: 'bench-key', secret: 'bench-secret' }],
      limits: { connections: 100_000 },
    }),
    AuthorizationModule.forRoot(),
  ],
  providers: [Authorizers],
})(Root);

const app = await NestFactory.create(Root, adapter(), { logger: ['error', 'warn'] });
// With Node's default backlog, the system would drop the connections of clients that return together.
await app.listen({ port: Number(process.env.PORT), host: '127.0.0.1', backlog: 65_535 });

function adapter() {
  if (process.env.PLATFORM === 'express') return new (require('@nestjs/platform-express').ExpressAdapter)();
  return new (require('@nestjs/platform-fastify').FastifyAdapter)();
}
