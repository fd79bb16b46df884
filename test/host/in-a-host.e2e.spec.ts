import {
  type CanActivate,
  Controller,
  type ExecutionContext,
  Get,
  HttpException,
  Inject,
  type INestApplication,
  Injectable,
  type MiddlewareConsumer,
  Module,
  type NestModule,
  type OnModuleInit,
  Param,
  Post,
  Body,
  type Provider,
  Scope,
} from '@nestjs/common';
import { APP_GUARD, HttpAdapterHost, REQUEST } from '@nestjs/core';
import type { ServerResponse } from 'node:http';
import PushNotifications from '@pusher/push-notifications-server';
import Pusher from 'pusher';
import { afterEach, describe, expect, it } from 'vitest';
import { ChannelsModule, isRookeryPath, isRookeryRoute } from 'rookery/channels';
import { PresenceModule } from 'rookery/presence';
import { testApp } from '../support/channels-server.js';
import { createHost, everyModule, listen, type LogLine, type Platform } from '../support/embedding-host.js';
import { instance } from '../support/push-app.js';
import { SocketClient } from '../support/socket-client.js';

@Controller('apps')
class HostController {
  @Get(':id/channels')
  channels(@Param('id') id: string): object {
    return { host: id };
  }
  // The host's body parser reads this one, though its end looks like one of Rookery's paths.
  @Post(':id/events')
  events(@Body() body: object): object {
    return body;
  }
}

@Injectable()
class NobodyGuard implements CanActivate {
  canActivate(): boolean {
    return false;
  }
}

@Injectable()
class LoginGuard implements CanActivate {
  canActivate(context: ExecutionContext): boolean {
    return isRookeryRoute(context) || context.switchToHttp().getRequest().headers.authorization === 'me';
  }
}

/** It lives for one request, as guards do that inject it. */
@Injectable({ scope: Scope.REQUEST })
class RequestGuard implements CanActivate {
  constructor(@Inject(REQUEST) private readonly request: { readonly headers: Record<string, string> }) {}
  canActivate(context: ExecutionContext): boolean {
    return isRookeryRoute(context) ? this.request.headers['x-closed'] === undefined : false;
  }
}

const closing: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0)) await close();
});

interface Host {
  readonly platform: Platform;
  readonly prepare?: (app: INestApplication) => unknown;
  readonly providers?: Provider[];
  readonly controllers?: [];
  readonly imports?: ReturnType<typeof everyModule>;
}

async function host({ prepare = () => {}, ...parts }: Host) {
  const { app, lines } = await createHost({ controllers: [HostController], ...parts });
  prepare(app);
  closing.unshift(() => app.close());
  return { app, lines, ...(await listen(app)) };
}

function beamsOn(port: number): PushNotifications {
  const options = { instanceId: instance.id, secretKey: instance.secretKey, endpoint: '127.0.0.1', port };
  return new PushNotifications(options);
}

/** What the official SDKs of servers do. */
const sdks = (port: number) => ({
  pusher: new Pusher({ appId: testApp.id, ...testApp, host: '127.0.0.1', port: String(port) }),
  beams: beamsOn(port),
});

describe.each(['Fastify', 'Express'] as const)('an application on %s', (platform) => {
  it('does not move the paths of the SDKs with its global prefix, and keeps its own below it', async () => {
    const { port, url } = await host({ platform, prepare: (app) => app.setGlobalPrefix('api') });
    const { pusher, beams } = sdks(port);
    const alice = await SocketClient.connect(port);
    closing.unshift(() => alice.close());
    await alice.subscribe('news');
    expect((await pusher.trigger('news', 'headline', 'hi')).status).toBe(200);
    expect(await alice.next('headline')).toMatchObject({ data: 'hi' });
    expect((await pusher.get({ path: '/channels/news' })).status).toBe(200);
    expect(await beams.publishToInterests(['a'], { fcm: {} })).toHaveProperty('publishId');
    expect(await (await fetch(`${url}/api/apps/7/channels`)).json()).toEqual({ host: '7' });
    const own = { method: 'POST', headers: { 'content-type': 'application/json' }, body: '{"a":1}' };
    expect(await (await fetch(`${url}/api/apps/7/events`, own)).json()).toEqual({ a: 1 });
    expect((await fetch(`${url}/api/device_api/v1/nowhere`)).status).toBe(404);
  });

  it('keeps its exclusions from its prefix', async () => {
    const prepare = (app: INestApplication) => app.setGlobalPrefix('api', { exclude: ['apps/:id/channels'] });
    // The host's route is now one of the paths of Channels: on such a path, the host comes first or does not start.
    const { url } = await host({ platform, prepare, imports: everyModule().slice(0, 1) });
    expect((await fetch(`${url}/apps/7/channels`)).status).toBe(200);
    expect((await fetch(`${url}/api/apps/7/channels`)).status).toBe(404);
  });

  it('moves them with useGlobalPrefix', async () => {
    const prepare = (app: INestApplication) => app.setGlobalPrefix('/rookery/');
    const { url } = await host({
      platform,
      prepare,
      controllers: [],
      imports: everyModule({ useGlobalPrefix: true }),
    });
    const device = `/device_api/v1/instances/${instance.id}/devices/fcm`;
    const body = { method: 'POST', headers: { 'content-type': 'application/json' }, body: '{"token":"t"}' };
    expect((await fetch(`${url}/rookery${device}`, body)).status).toBe(200);
    expect((await fetch(`${url}${device}`, body)).status).toBe(404);
    expect((await fetch(`${url}/rookery/apps/3/events`, body)).status).toBe(401);
  });

  it('lets the SDKs pass a global guard that calls isRookeryRoute, and still guards its own routes', async () => {
    const providers = [{ provide: APP_GUARD, useClass: LoginGuard }];
    const { port, url } = await host({ platform, providers, prepare: (app) => app.setGlobalPrefix('api') });
    const { pusher, beams } = sdks(port);
    expect((await pusher.trigger('news', 'headline', 'hi')).status).toBe(200);
    expect(await beams.publishToInterests(['a'], { fcm: {} })).toHaveProperty('publishId');
    expect((await fetch(`${url}/api/apps/7/channels`)).status).toBe(403);
    expect((await fetch(`${url}/api/apps/7/channels`, { headers: { authorization: 'me' } })).status).toBe(200);
  });

  it('runs a request-scoped guard before them, too', async () => {
    const providers = [{ provide: APP_GUARD, useClass: RequestGuard }];
    const { port, url, lines } = await host({ platform, providers, prepare: (app) => app.setGlobalPrefix('api') });
    expect((await sdks(port).pusher.trigger('news', 'headline', 'hi')).status).toBe(200);
    const closed = await fetch(`${url}/apps/3/events`, { method: 'POST', headers: { 'x-closed': '1' } });
    expect([closed.status, await closed.text()]).toEqual([403, 'Forbidden resource\n']);
    expect(lines.find(({ context }) => context === 'Rookery')?.text).toContain('(RequestGuard)');
  });

  const warningsOf = ({ lines }: { readonly lines: readonly LogLine[] }) =>
    lines.filter(({ level, context }) => level === 'warn' && context === 'Rookery').map(({ text }) => text);

  it('logs one line once a global guard refuses a request of an SDK', async () => {
    const refusing = await host({
      platform,
      providers: [{ provide: APP_GUARD, useClass: NobodyGuard }],
      prepare: (app) => {
        app.setGlobalPrefix('api');
        app.useGlobalGuards({ canActivate: () => true });
      },
    });
    expect(warningsOf(refusing)).toEqual([]);
    for (let requests = 0; requests < 2; requests++)
      expect((await fetch(`${refusing.url}/apps/3/events`, { method: 'POST' })).status).toBe(403);
    expect(warningsOf(refusing)).toEqual([
      'POST /apps/:appId/events was answered 403 by a global guard of the application (NobodyGuard, an ' +
        'object without a class), which the SDKs cannot pass. Begin its canActivate with `if (isRookeryRoute(context)) return true;`, ' +
        'for ThrottlerGuard by skipIf: isRookeryRoute; or, if it is on purpose, set ' +
        'ChannelsModule.forRoot({ allowGlobalGuards: true })',
    ]);
  });

  it('names a guard that limits requests only when a server has made too many', async () => {
    const throttler = (skipIf: (context: ExecutionContext) => boolean): CanActivate => {
      let count = 0;
      return {
        canActivate: (context) => {
          if (!skipIf(context) && ++count > 2) throw new HttpException('Too Many Requests', 429);
          return true;
        },
      };
    };
    const statuses = async (skipIf: (context: ExecutionContext) => boolean) => {
      const prepare = (app: INestApplication) => app.useGlobalGuards(throttler(skipIf));
      const throttled = await host({ platform, controllers: [], prepare });
      const { pusher } = sdks(throttled.port);
      const statusOf = (answered: { readonly status: number }) => answered.status;
      const all: number[] = [];
      for (let i = 0; i < 3; i++) all.push(await pusher.trigger('news', 'e', '').then(statusOf, statusOf));
      return { all, warnings: warningsOf(throttled) };
    };
    expect(await statuses(() => false)).toEqual({
      all: [200, 200, 429],
      warnings: [expect.stringContaining('was answered 429 by a global guard')],
    });
    expect(await statuses(isRookeryRoute)).toEqual({ all: [200, 200, 200], warnings: [] });
  });

  it('logs nothing if its guards let the SDKs pass, refuse on purpose, or if Rookery itself refuses', async () => {
    const login = { provide: APP_GUARD, useClass: LoginGuard };
    const passing = await host({ platform, controllers: [], providers: [login] });
    const onPurpose = await host({
      platform,
      controllers: [],
      providers: [{ provide: APP_GUARD, useClass: NobodyGuard }],
      imports: everyModule({ allowGlobalGuards: true }),
    });
    for (const [each, status] of [
      [passing, 401],
      [onPurpose, 403],
    ] as const) {
      expect((await fetch(`${each.url}/apps/3/events`, { method: 'POST' })).status).toBe(status);
      expect(warningsOf(each)).toEqual([]);
    }
  });

  it('recognizes the paths of Rookery in its middleware, below its prefix too', async () => {
    const seen: string[] = [];
    const csrf = (
      { originalUrl, method }: { readonly originalUrl: string; readonly method: string },
      response: ServerResponse,
      next: () => void,
    ) => {
      if (method === 'GET' || isRookeryPath(originalUrl)) return next();
      seen.push(originalUrl);
      response.writeHead(403).end();
    };
    const { port, url } = await host({
      platform,
      controllers: [],
      imports: everyModule({ useGlobalPrefix: true }),
      prepare: (app) => app.setGlobalPrefix('api').use(csrf),
    });
    const pusher = new Pusher({ appId: testApp.id, ...testApp, host: `127.0.0.1:${port}/api`, useTLS: false });
    expect((await pusher.trigger('news', 'headline', 'hi')).status).toBe(200);
    const post = async (path: string) => (await fetch(url + path, { method: 'POST' })).status;
    expect(await post(`/api/device_api/v1/instances/${instance.id}/devices/fcm`)).not.toBe(403);
    // Another application of this process may serve those without a prefix.
    for (const path of ['/api/apps/7/orders', '/other/apps/3/events', '/api/apps/3/events/all', '/api'])
      expect(await post(path)).toBe(403);
    expect(seen).toHaveLength(4);
  });

  it('can use the same guard for sockets, where it lets subscriptions pass', async () => {
    const channels = ChannelsModule.forRoot({ apps: [testApp], sockets: { guards: [LoginGuard] } });
    const { port } = await host({ platform, imports: [PresenceModule.forRoot(), channels], controllers: [] });
    const alice = await SocketClient.connect(port);
    closing.unshift(() => alice.close());
    await alice.subscribe('news');
    expect(await alice.settled('pusher:subscription_error')).toEqual([]);
  });

  it('runs its middleware before them, and routes that its modules add at the start after them', async () => {
    const seen: string[] = [];
    @Module({})
    class StaticFiles implements NestModule, OnModuleInit {
      constructor(private readonly adapter: HttpAdapterHost) {}
      configure(consumer: MiddlewareConsumer) {
        const note = ({ originalUrl }: { originalUrl: string }, _: unknown, next: () => void) => {
          seen.push(originalUrl);
          next();
        };
        consumer.apply(note).forRoutes('{*all}');
      }
      onModuleInit() {
        const all = platform === 'Fastify' ? '*' : '{*all}';
        this.adapter.httpAdapter.get(all, (_: unknown, response: { send(text: string): void }) =>
          response.send('index'),
        );
      }
    }
    const imports = [{ module: StaticFiles }, ...everyModule()];
    const { port, url } = await host({ platform, imports, controllers: [] });
    expect((await sdks(port).pusher.get({ path: '/channels' })).status).toBe(200);
    expect(await (await fetch(`${url}/somewhere`)).text()).toBe('index');
    expect(seen.map((each) => each.split('?')[0])).toEqual(['/apps/3/channels', '/somewhere']);
  });

  it('logs a few lines of Rookery at boot, and none of its routes', async () => {
    const { lines } = await host({ platform, prepare: (app) => app.setGlobalPrefix('api') });
    const routes = lines.filter(({ context }) => /^(RoutesResolver|RouterExplorer)$/.test(context));
    expect(routes.map(({ text }) => text)).toEqual([
      'HostController {/api/apps}:',
      'Mapped {/api/apps/:id/channels, GET} route',
      'Mapped {/api/apps/:id/events, POST} route',
    ]);
    const own = lines.filter(
      ({ context, level }) => /^(Presence|Channels|Push|Publish)/.test(context) && level === 'log',
    );
    expect(own.map(({ context, text }) => `${context}: ${text}`)).toEqual([
      'PresenceModule: PresenceRepository: MemoryPresenceRepository',
      'ChannelsModule: Serves /app/<key>, /apps/<id> for 1 app; AppRepository: ConfiguredAppRepository, ' +
        'ChannelRepository: MemoryChannelRepository, Broker: InProcessBroker, JobStore: MemoryJobStore',
      'PushDeviceModule: Serves /device_api/v1 for 1 instance; InstanceRepository: ConfiguredInstanceRepository, ' +
        'DeviceRepository: MemoryDeviceRepository',
      'PublishModule: Serves /publish_api/v1, /customer_api/v1, /user_api/v1, /reporting_api/v2; ' +
        'PublishOutbox: MemoryPublishOutbox, JobStore: MemoryJobStore, PushGateway: ApnsGateway, FcmGateway, WebPushGateway',
    ]);
  });
});
