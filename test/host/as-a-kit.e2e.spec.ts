import {
  type ArgumentsHost,
  Body,
  type CallHandler,
  type CanActivate,
  Catch,
  Controller,
  type ExceptionFilter,
  type ExecutionContext,
  ForbiddenException,
  Get,
  Global,
  Injectable,
  Logger,
  Module,
  type NestInterceptor,
  type PipeTransform,
  Post,
} from '@nestjs/common';
import { APP_GUARD } from '@nestjs/core';
import { ExpressAdapter } from '@nestjs/platform-express';
import { FastifyAdapter } from '@nestjs/platform-fastify';
import { Test } from '@nestjs/testing';
import { WsException } from '@nestjs/websockets';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { tap } from 'rxjs';
import {
  type AppConfig,
  AppRepository,
  Broker,
  type BrokerMessage,
  type Position,
  ChannelRepository,
  type SocketMessage,
  ChannelsModule,
  type Connection,
  EventsService,
  InProcessBroker,
  MemoryChannelRepository,
} from 'rookery/channels';
import { MemoryPresenceRepository, PresenceModule, PresenceRepository, PresenceService } from 'rookery/presence';
import { overSocket, signed } from '../support/channels-api.js';
import { type ChannelsServer, testApp } from '../support/channels-server.js';
import { SocketClient } from '../support/socket-client.js';

const closing: (() => Promise<void> | void)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0)) await close();
});

type Imports = NonNullable<Parameters<typeof Test.createTestingModule>[0]['imports']>;

async function host(imports: Imports, metadata: object = {}, adapter: 'fastify' | 'express' = 'fastify') {
  const module = await Test.createTestingModule({ imports, ...metadata }).compile();
  Logger.overrideLogger(false);
  const app =
    adapter === 'fastify'
      ? module.createNestApplication(new FastifyAdapter() as any)
      : module.createNestApplication(new ExpressAdapter());
  await app.listen(0, '127.0.0.1');
  closing.unshift(() => app.close());
  const { port } = app.getHttpServer().address() as AddressInfo;
  return { app, port } as unknown as ChannelsServer;
}

async function connect({ port }: ChannelsServer): Promise<SocketClient> {
  const client = await SocketClient.connect(port);
  closing.unshift(() => client.close());
  return client;
}

const channels = (more: object = {}) => ChannelsModule.forRoot({ apps: [{ ...testApp, clientEvents: true }], ...more });
const message = async (client: SocketClient) =>
  (await client.next('pusher:error')).data as { code: unknown; message: string };

describe.each(['fastify', 'express'] as const)('in a host on %s', (adapter) => {
  it('serves the API and the sockets beside the host’s own routes', async () => {
    @Controller()
    class HostController {
      @Get('hello')
      hello(): string {
        return 'hello';
      }
      // Looks like one of Rookery's paths, and is none.
      @Post('apps/:id/logo')
      logo(@Body() body: { color: string }): string {
        return body.color;
      }
    }
    const server = await host([PresenceModule.forRoot(), channels()], { controllers: [HostController] }, adapter);
    const client = await connect(server);
    await client.subscribe('news');
    const big = { name: 'e', channels: ['news'], data: '\u0001'.repeat(10_240) };
    expect(
      await overSocket(
        server,
        signed('POST', '/batch_events', { batch: Array.from({ length: 10 }, () => ({ ...big, channel: 'news' })) }),
      ),
    ).toMatchObject({
      status: 200,
      text: '{}',
    });
    await client.next('e');
    expect(await overSocket(server, signed('POST', '/events', '{'))).toMatchObject({
      status: 400,
      text: 'The request body is not a JSON object\n',
    });
    expect(await overSocket(server, signed('GET', `/channels/${'c'.repeat(200)}`))).toMatchObject({ status: 200 });
    expect(await overSocket(server, { method: 'GET', url: '/hello' })).toMatchObject({ status: 200, text: 'hello' });
    const headers = { 'content-type': 'application/json' };
    const own = `http://127.0.0.1:${server.port}/apps/3/logo`;
    const answer = await fetch(own, { method: 'POST', headers, body: '{"color":"red"}' });
    expect([answer.status, await answer.text()]).toEqual([201, 'red']);
  });
});

describe('the services', () => {
  it("trigger from the host's code as over HTTP, with the same checks", async () => {
    const server = await host([PresenceModule.forRoot(), channels()]);
    const client = await connect(server);
    await client.subscribe('news');
    const events = server.app.get(EventsService);
    expect(await events.trigger(testApp.id, { name: 'e', channel: 'news', data: { some: 'data' } })).toEqual({});
    expect(await client.next('e')).toEqual({ event: 'e', channel: 'news', data: '{"some":"data"}' });
    await expect(events.trigger(testApp.id, { name: 'e', channel: 'a b', data: '' })).rejects.toMatchObject({
      status: 400,
    });
    await expect(events.trigger('nowhere', { name: 'e', channel: 'a', data: '' })).rejects.toThrow(
      'no app with the id "nowhere"',
    );
  });

  it('refuse to trigger for a disabled app, as over HTTP', async () => {
    const server = await host([
      PresenceModule.forRoot(),
      ChannelsModule.forRoot({ apps: [{ ...testApp, enabled: false }] }),
    ]);
    const triggered = server.app.get(EventsService).trigger(testApp.id, { name: 'e', channel: 'news', data: '' });
    await expect(triggered).rejects.toMatchObject({ status: 403, message: 'Application is disabled' });
  });

  it('keep presence without Channels', async () => {
    const module = await Test.createTestingModule({ imports: [PresenceModule.forRoot()] }).compile();
    const presence = module.get(PresenceService);
    const room = { scope: 'office', name: 'kitchen' };
    expect(await presence.join(room, 'phone', { userId: 'alice' })).toMatchObject({ outcome: 'joined', isFirst: true });
    expect(await presence.members(room)).toEqual([{ userId: 'alice' }]);
    await module.close();
  });
});

describe('a port', () => {
  it('is replaced in one line by a class, an object or a factory', async () => {
    // It knows id, key and secret; all else is at its default.
    @Injectable()
    class MyApps extends AppRepository {
      findById(id: string): AppConfig | undefined {
        return id === testApp.id ? testApp : undefined;
      }
      async findByKey(key: string): Promise<AppConfig | undefined> {
        return key === testApp.key ? testApp : undefined;
      }
    }
    const published: BrokerMessage[] = [];
    class MyBroker extends InProcessBroker {
      override publish(sent: BrokerMessage, rememberSeconds?: number): Position {
        published.push(sent);
        return super.publish(sent, rememberSeconds);
      }
    }
    const repository = new MemoryChannelRepository();
    const server = await host([
      PresenceModule.forRoot({ presenceRepository: MemoryPresenceRepository }),
      ChannelsModule.forRoot({
        appRepository: MyApps,
        channelRepository: repository,
        broker: { useFactory: () => new MyBroker() },
      }),
    ]);
    const client = await connect(server);
    await client.subscribe('news');
    expect(repository.subscriptionCounts(testApp.id, ['news'])).toEqual([1]);
    await overSocket(server, signed('POST', '/events', { name: 'e', channels: ['news'], data: '1' }));
    await client.next('e');
    expect(published).toHaveLength(1);
    expect(server.app.get(AppRepository)).toBeInstanceOf(MyApps);
    expect(server.app.get(ChannelRepository)).toBe(repository);
    expect(server.app.get(Broker)).toBeInstanceOf(MyBroker);
    expect(server.app.get(PresenceRepository)).toBeInstanceOf(MemoryPresenceRepository);
  });

  it('may depend on exports of a module of the host', async () => {
    @Injectable()
    class Database {}
    @Module({ providers: [Database], exports: [Database] })
    class DatabaseModule {}
    @Injectable()
    class LedgerInDatabase extends MemoryPresenceRepository {
      constructor(readonly database: Database) {
        super();
      }
    }
    const presence = PresenceModule.forRoot({ imports: [DatabaseModule], presenceRepository: LedgerInDatabase });
    const { app } = await host([presence]);
    expect(app.get<LedgerInDatabase>(PresenceRepository as never).database).toBeInstanceOf(Database);
  });

  it('may be entirely asynchronous, with the same behaviour', async () => {
    const later = <T extends object>(port: T): T =>
      new Proxy(port, {
        get(target, name) {
          const value = Reflect.get(target, name) as unknown;
          if (typeof value !== 'function' || name === 'receive') return value;
          return async (...args: unknown[]) => {
            await new Promise((resolve) => setImmediate(resolve));
            return Reflect.apply(value, target, args) as unknown;
          };
        },
      });
    const server = await host([
      PresenceModule.forRoot({ presenceRepository: later(new MemoryPresenceRepository()) }),
      channels({ channelRepository: later(new MemoryChannelRepository()), broker: later(new InProcessBroker()) }),
    ]);
    const [alice, bob] = [await connect(server), await connect(server)];
    await alice.subscribe('presence-room', { user_id: 'alice' });
    expect(await bob.subscribe('presence-room', { user_id: 'bob' })).toMatchObject({
      presence: { ids: ['alice', 'bob'] },
    });
    await alice.next('pusher_internal:member_added');
    for (let n = 0; n < 5; n++) {
      bob.send({ event: 'pusher:unsubscribe', data: { channel: 'presence-room' } });
      bob.sendSubscribe('presence-room', { user_id: 'bob' });
    }
    expect(await bob.settled('pusher:error')).toEqual([]);
    bob.close();
    await bob.closing();
    await overSocket(server, signed('POST', '/events', { name: 'e', channels: ['presence-room'], data: '1' }));
    await alice.next('e');
    expect(await overSocket(server, signed('GET', '/channels/presence-room/users'))).toMatchObject({
      text: '{"users":[{"id":"alice"}]}',
    });
  });

  it('accepts options from a factory through forRootAsync', async () => {
    @Global()
    @Module({ providers: [{ provide: 'SECRETS', useValue: [testApp] }], exports: ['SECRETS'] })
    class SecretsModule {}
    const server = await host([
      SecretsModule,
      PresenceModule.forRoot(),
      ChannelsModule.forRootAsync({
        inject: ['SECRETS'],
        useFactory: (apps: (typeof testApp)[]) => ({ apps }),
        channelRepository: MemoryChannelRepository,
      }),
    ]);
    const client = await connect(server);
    await client.subscribe('news');
    expect(await client.settled('pusher:subscription_error')).toEqual([]);
  });
});

describe('guards, pipes, interceptors and filters for sockets', () => {
  @Injectable()
  class Rules {
    readonly seen: string[] = [];
  }
  @Global()
  @Module({ providers: [Rules], exports: [Rules] })
  class RulesModule {}

  @Injectable()
  class MyGuard implements CanActivate {
    constructor(private readonly rules: Rules) {}
    canActivate(context: ExecutionContext): boolean {
      const socket = context.switchToWs();
      const { event, ...data } = socket.getData<SocketMessage>();
      const { socketId, app } = socket.getClient<Connection>();
      this.rules.seen.push(`${context.getType()} ${socket.getPattern()} ${app.id} ${/^\d+\.\d+$/.test(socketId)}`);
      if (!('channel' in data)) return true;
      if (data.channel === 'forbidden') throw new ForbiddenException('Not this channel');
      if (data.channel === 'coded') throw new WsException({ code: 4242, message: 'Coded' });
      if (data.channel === 'broken') throw new Error('secret detail');
      return data.channel !== 'false' && event !== 'pusher:ping';
    }
  }
  @Injectable()
  class Lowercase implements PipeTransform {
    transform(value: SocketMessage): SocketMessage {
      return 'channel' in value ? { ...value, channel: value.channel.toLowerCase() } : value;
    }
  }
  @Injectable()
  class Counting implements NestInterceptor {
    constructor(private readonly rules: Rules) {}
    intercept(_: ExecutionContext, next: CallHandler) {
      return next.handle().pipe(tap({ complete: () => this.rules.seen.push('done') }));
    }
  }
  @Catch(RangeError)
  class RangeFilter implements ExceptionFilter {
    catch(error: RangeError, context: ArgumentsHost): WsException {
      context.switchToWs().getClient<Connection>().send('{"event":"filtered","data":"{}"}');
      return new WsException(`Filtered: ${error.message}`);
    }
  }
  class RangeGuard implements CanActivate {
    canActivate(context: ExecutionContext): boolean {
      const data = context.switchToWs().getData<{ channel?: string }>();
      if (data.channel === 'range') throw new RangeError('too far');
      return true;
    }
  }
  @Injectable()
  class HttpOnlyGuard implements CanActivate {
    canActivate(context: ExecutionContext): boolean {
      if (context.getType() !== 'http') throw new Error('reached a socket');
      return true;
    }
  }

  const guarded = () =>
    host(
      [
        RulesModule,
        PresenceModule.forRoot(),
        channels({
          sockets: {
            guards: [MyGuard, RangeGuard],
            pipes: [Lowercase],
            interceptors: [Counting],
            filters: [RangeFilter],
          },
        }),
      ],
      { providers: [{ provide: APP_GUARD, useClass: HttpOnlyGuard }] },
    );

  it('apply with their dependencies, and see the connection and the message', async () => {
    const server = await guarded();
    const client = await connect(server);
    client.sendSubscribe('NEWS');
    expect(await client.next('pusher_internal:subscription_succeeded')).toMatchObject({ channel: 'news' });
    await client.signin({ id: 'alice' });
    await client.settled('nothing');
    expect(server.app.get(Rules).seen).toEqual([
      'ws pusher:subscribe 3 true',
      'done',
      'ws pusher:signin 3 true',
      'done',
    ]);
  });

  it.each([
    ['forbidden', { code: null, message: 'Not this channel' }],
    ['coded', { code: 4242, message: 'Coded' }],
    ['false', { code: null, message: 'Forbidden resource' }],
    ['broken', { code: null, message: 'Internal server error' }],
    ['range', { code: null, message: 'Filtered: too far' }],
  ])('turn their exceptions for %s into the error frame', async (channel, expected) => {
    const client = await connect(await guarded());
    client.send({ event: 'pusher:subscribe', data: { channel } });
    expect(await message(client)).toEqual(expected);
    expect(await client.next('pusher:subscription_error')).toMatchObject({ channel });
    expect(await client.settled('pusher_internal:subscription_succeeded')).toEqual([]);
  });

  it("do not apply to sockets if they are the host's global HTTP ones", async () => {
    const server = await host([PresenceModule.forRoot(), channels()], {
      providers: [{ provide: APP_GUARD, useClass: HttpOnlyGuard }],
    });
    const client = await connect(server);
    await client.subscribe('news');
    expect(await client.settled('pusher:subscription_error')).toEqual([]);
  });
});
