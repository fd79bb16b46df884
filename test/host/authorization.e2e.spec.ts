import {
  BadRequestException,
  type CallHandler,
  type CanActivate,
  type DynamicModule,
  type ExecutionContext,
  Headers,
  Inject,
  Injectable,
  type INestApplication,
  type MiddlewareConsumer,
  Module,
  type NestInterceptor,
  type NestModule,
  type Provider,
  Scope,
  SetMetadata,
  type Type,
  UseGuards,
  UseInterceptors,
} from '@nestjs/common';
import { APP_GUARD, APP_INTERCEPTOR, Reflector, REQUEST } from '@nestjs/core';
import PusherServer from 'pusher';
import { map, type Observable, of } from 'rxjs';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import {
  AuthorizationModule,
  type AuthorizationOptions,
  type ChannelAnswer,
  ChannelAuthorizer,
  type ChannelMember,
  ChannelName,
  ChannelParam,
  ChannelsApp,
  isAuthorizer,
  SocketId,
  UserAuthenticator,
} from 'rookery/authorization';
import { type App, ChannelsModule, type ChannelsOptions, isRookeryRoute, Unavailable } from 'rookery/channels';
import { PresenceModule } from 'rookery/presence';
import { PushDeviceModule } from 'rookery/push-device';
import { AppModule, Channels, LoginGuard, masterKey, Orders, Users, users } from '../support/authorizing-host.js';
import { testApp } from '../support/channels-server.js';
import { createHost, listen, type Platform } from '../support/embedding-host.js';
import { instance } from '../support/push-app.js';
import { joined, PusherJs } from '../support/pusher-js.js';
import { until } from '../support/until.js';

const library = new PusherServer({ appId: testApp.id, ...testApp, encryptionMasterKeyBase64: masterKey, host: 'none' });
const socketId = '1234.1234';

const closing: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0)) await close();
});

interface Ask {
  readonly as?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

/** Posts a form, as pusher-js does, or JSON, and answers what came back. */
function asking(url: string) {
  return async (path: string, body: object | string, { as = 'alice', headers = {} }: Ask = {}) => {
    const type = typeof body === 'string' ? 'application/x-www-form-urlencoded' : 'application/json';
    const response = await fetch(url + path, {
      method: 'POST',
      headers: { 'content-type': type, authorization: `Bearer ${as}`, ...headers },
      body: typeof body === 'string' ? body : JSON.stringify(body),
    });
    const text = await response.text();
    const isJson = response.headers.get('content-type')?.startsWith('application/json');
    return { status: response.status, headers: response.headers, answer: isJson ? JSON.parse(text) : text };
  };
}

const form = (channel: string): string => `socket_id=${socketId}&channel_name=${channel}`;

describe.each(['Fastify', 'Express'] as const)('an application on %s', (platform) => {
  let app: INestApplication;
  let port: number;
  let ask: ReturnType<typeof asking>;
  const clients: PusherJs[] = [];

  beforeAll(async () => {
    const host = await createHost({ platform, imports: [AppModule] });
    app = host.app;
    const { port: on, url } = await listen(app);
    port = on;
    ask = asking(url);
  });
  afterEach(() => {
    for (const client of clients.splice(0)) client.disconnect();
  });
  afterAll(() => app.close());

  /** Stock pusher-js, configured with the endpoints and its user. */
  function connect(user: string): PusherJs {
    const headers = { authorization: `Bearer ${user}` };
    const client = new PusherJs(testApp.key, {
      cluster: '',
      wsHost: '127.0.0.1',
      wsPort: port,
      forceTLS: false,
      enabledTransports: ['ws'],
      channelAuthorization: { transport: 'ajax', endpoint: `http://127.0.0.1:${port}/pusher/auth`, headers },
      userAuthentication: { transport: 'ajax', endpoint: `http://127.0.0.1:${port}/pusher/user-auth`, headers },
    });
    clients.push(client);
    return client;
  }

  it('admits pusher-js only to the channels that its methods allow', async () => {
    const alice = connect('alice');
    await joined(alice, 'private-orders.7');
    const room = await joined(alice, 'presence-room.kitchen');
    expect(room.members.me).toEqual({ id: 'alice', info: { name: 'Alice' } });
    await expect(joined(alice, 'private-orders.1001')).rejects.toMatchObject({ type: 'AuthError', status: 403 });
    await expect(joined(connect('bob'), 'presence-room.roof')).rejects.toMatchObject({ status: 403 });
    await expect(joined(connect('nobody'), 'private-orders.7')).rejects.toMatchObject({ status: 401 });
  });

  it('signs pusher-js in as its user, with the watchlist', async () => {
    const alice = connect('alice');
    const online: unknown[] = [];
    alice.user.watchlist.bind('online', (event: unknown) => online.push(event));
    alice.signin();
    await until(() => alice.user.user_data !== null, 'Alice is signed in');
    expect(alice.user.user_data).toMatchObject({ id: 'alice', user_info: { name: 'Alice' } });
    connect('bob').signin();
    await until(() => online.length > 0, 'Alice hears of Bob');
    expect(online).toEqual([{ name: 'online', user_ids: ['bob'] }]);
  });

  it('answers forms and JSON as the official library signs it', async () => {
    const signed = library.authorizeChannel(socketId, 'private-orders.7');
    for (const body of [form('private-orders.7'), { socket_id: socketId, channel_name: 'private-orders.7' }])
      expect(await ask('/pusher/auth', body)).toMatchObject({ status: 200, answer: signed });
    const member = { user_id: 'alice', user_info: { name: 'Alice' } };
    expect((await ask('/pusher/auth', form('presence-room.roof'))).answer).toEqual(
      library.authorizeChannel(socketId, 'presence-room.roof', member),
    );
    const alice = { id: 'alice', user_info: { name: 'Alice' }, watchlist: ['bob'] };
    for (const body of [`socket_id=${socketId}`, { socket_id: socketId }])
      expect((await ask('/pusher/user-auth', body)).answer).toEqual(library.authenticateUser(socketId, alice));
  });

  it('hands out the shared secret of an encrypted channel', async () => {
    const { answer } = await ask('/pusher/auth', form('private-encrypted-notes.alice'));
    expect(answer).toEqual(library.authorizeChannel(socketId, 'private-encrypted-notes.alice'));
    expect(answer).toHaveProperty('shared_secret');
    const heard: unknown[] = [];
    const notes = await joined(connect('alice'), 'private-encrypted-notes.alice');
    notes.bind('note', (note: unknown) => heard.push(note));
    const server = new PusherServer({
      appId: testApp.id,
      ...testApp,
      encryptionMasterKeyBase64: masterKey,
      host: '127.0.0.1',
      port: String(port),
    });
    await server.trigger('private-encrypted-notes.alice', 'note', { text: 'psst' });
    await until(() => heard.length > 0, 'the note arrives');
    expect(heard).toEqual([{ text: 'psst' }]);
  });

  it.each([
    ['numbered', 'channel_name[0]=private-orders.7&channel_name[1]=private-orders.1001&channel_name[2]=private-x'],
    ['empty', 'channel_name[]=private-orders.7&channel_name[]=private-orders.1001&channel_name[]=private-x'],
    ['repeated', 'channel_name=private-orders.7&channel_name=private-orders.1001&channel_name=private-x'],
  ])('answers many channels of a form at once, with %s names', async (_, fields) => {
    const { status, answer } = await ask('/pusher/auth', `socket_id=${socketId}&${fields}`);
    expect({ status, answer }).toEqual({
      status: 200,
      answer: {
        'private-orders.7': { status: 200, data: library.authorizeChannel(socketId, 'private-orders.7') },
        'private-orders.1001': { status: 403, error: 'Not authorized for private-orders.1001' },
        'private-x': { status: 403, error: "No authorizer permits subscriptions to 'private-x'" },
      },
    });
  });

  it('answers a thousand channels of JSON at once, each with its own result', async () => {
    const channels = Array.from({ length: 1000 }, (_, i) => `private-orders.${i + 501}`);
    const { answer } = await ask('/pusher/auth', { socket_id: socketId, channel_name: channels });
    const answers = Object.entries(answer as Record<string, ChannelAnswer>);
    expect(answers.map(([name]) => name)).toEqual(channels);
    expect(answers.map(([, { status }]) => status)).toEqual(channels.map((_, i) => (i < 500 ? 200 : 403)));
    const { status, answer: text } = await ask('/pusher/auth', {
      socket_id: socketId,
      channel_name: [...channels, 'private-orders.1'],
    });
    expect([status, text]).toEqual([400, 'At most 1000 channels may be asked for at once\n']);
  });

  it.each([
    [form('private-orders.1001'), 403, 'Not authorized for private-orders.1001'],
    [form('private-orders.seven'), 403, 'Validation failed (numeric string is expected)'],
    [form('private-other.7'), 403, "No authorizer permits subscriptions to 'private-other.7'"],
    [form('private-orders.7:presence-x'), 403, "No authorizer permits subscriptions to 'private-orders.7:presence-x'"],
    [form('%23server-to-user-bob'), 403, "No authorizer permits subscriptions to '#server-to-user-bob'"],
    [`socket_id=1.1:presence-room.x:{}&channel_name=private-orders.7`, 400, 'Invalid socket_id'],
    ['channel_name=private-orders.7', 400, 'Missing required parameter: socket_id'],
    [`socket_id=${socketId}`, 400, 'Missing required parameter: channel_name'],
    [`${form('private-orders.7')}&app_key=other`, 403, 'Unknown app_key'],
    [{ socket_id: socketId, channel_name: 7 }, 400, 'channel_name must be a text, or an array of texts'],
    [
      { socket_id: socketId, channel_name: ['private-a', {}] },
      400,
      'channel_name must be a text, or an array of texts',
    ],
    [{ socket_id: socketId, channel_name: 'private-a', app_key: [] }, 400, 'app_key must be a text'],
    [[], 400, 'The request body is not a JSON object'],
    ['x'.repeat(262_145), 413, 'Request body size is too large (max 256KiB).'],
  ])('answers %j with %i and a text', async (body, status, text) => {
    const refused = await ask('/pusher/auth', body);
    expect({ status: refused.status, text: refused.answer }).toEqual({ status, text: `${text}\n` });
    expect(refused.headers.get('content-type')).toBe('text/plain; charset=utf-8');
  });

  it('answers 401 to an unknown user', async () => {
    for (const [path, body] of [
      ['/pusher/auth', form('private-orders.7')],
      ['/pusher/user-auth', `socket_id=${socketId}`],
    ] as const)
      expect(await ask(path, body, { as: 'nobody' })).toMatchObject({ status: 401, answer: 'Who are you?\n' });
    const { answer } = await ask('/pusher/auth', `socket_id=${socketId}&channel_name[]=private-orders.7`, { as: 'x' });
    expect(answer).toEqual({ 'private-orders.7': { status: 401, error: 'Who are you?' } });
  });
});

/** An application of its own for one test. */
async function host({
  options = {},
  providers,
  apps = [testApp],
  platform = 'Fastify',
  prepare = () => {},
  imports = [],
}: {
  readonly options?: AuthorizationOptions;
  readonly providers: Provider[];
  readonly apps?: ChannelsOptions['apps'];
  readonly platform?: Platform;
  readonly prepare?: (app: INestApplication) => void;
  readonly imports?: readonly Type[];
}) {
  const modules: DynamicModule[] = [
    PresenceModule.forRoot(),
    ChannelsModule.forRoot({ apps, allowGlobalGuards: true }),
    AuthorizationModule.forRoot(options),
  ];
  const { app, lines } = await createHost({ platform, imports: [...imports, ...modules], providers });
  prepare(app);
  closing.push(() => app.close());
  const { url } = await listen(app);
  return { ask: asking(url), lines };
}

@Injectable()
class Everything {
  @ChannelAuthorizer('private-{name*}')
  yes(@ChannelName() _name: string): boolean {
    return true;
  }
}

describe('the guards, interceptors and providers of the host', () => {
  const Public = () => SetMetadata('public', true);

  @Injectable()
  class RolesGuard implements CanActivate {
    constructor(private readonly reflector: Reflector) {}
    canActivate(context: ExecutionContext): boolean {
      const request = context.switchToHttp().getRequest<{ headers: Record<string, string> }>();
      if (isRookeryRoute(context) || this.reflector.get('public', context.getHandler())) return true;
      return request.headers['authorization'] === 'Bearer alice';
    }
  }

  @Injectable({ scope: Scope.REQUEST })
  class CurrentTenant {
    static made = 0;
    readonly name: string;
    constructor(@Inject(REQUEST) request: { headers: Record<string, string> }) {
      CurrentTenant.made++;
      this.name = request.headers['x-tenant'] ?? '';
    }
  }

  @Injectable()
  class TenantChannels {
    constructor(private readonly tenant: CurrentTenant) {}
    @ChannelAuthorizer('private-tenant.{tenant}.{part}')
    isMine(@ChannelParam('tenant') tenant: string): Observable<boolean> {
      return of(tenant === this.tenant.name);
    }
  }

  it('a global guard runs before each method, and sees its decorators', async () => {
    @Injectable()
    class News {
      @Public()
      @ChannelAuthorizer('private-news')
      news(): boolean {
        return true;
      }
      @ChannelAuthorizer('private-staff')
      staff(): boolean {
        return true;
      }
    }
    const { ask, lines } = await host({ providers: [News, { provide: APP_GUARD, useClass: RolesGuard }] });
    const status = async (channel: string, as: string) => (await ask('/pusher/auth', form(channel), { as })).status;
    expect([await status('private-news', 'bob'), await status('private-staff', 'bob')]).toEqual([200, 403]);
    expect(await status('private-staff', 'alice')).toBe(200);
    expect(lines.filter(({ level }) => level !== 'log')).toEqual([]);
  });

  it('a request-scoped provider is created once for all channels of the request', async () => {
    const { ask } = await host({ providers: [CurrentTenant, TenantChannels] });
    const channels = ['private-tenant.red.a', 'private-tenant.red.b', 'private-tenant.blue.a'];
    const body = { socket_id: socketId, channel_name: channels };
    const { answer } = await ask('/pusher/auth', body, { headers: { 'x-tenant': 'red' } });
    expect(Object.values(answer as Record<string, ChannelAnswer>).map(({ status }) => status)).toEqual([200, 200, 403]);
    expect(CurrentTenant.made).toBe(1);
    await ask('/pusher/auth', body);
    expect(CurrentTenant.made).toBe(2);
  });

  it('a request-scoped global guard runs too', async () => {
    @Injectable({ scope: Scope.REQUEST })
    class TenantGuard implements CanActivate {
      constructor(@Inject(REQUEST) private readonly request: { headers: Record<string, string> }) {}
      canActivate(): boolean {
        return this.request.headers['x-tenant'] === 'red';
      }
    }
    const { ask } = await host({ providers: [Everything, { provide: APP_GUARD, useClass: TenantGuard }] });
    expect((await ask('/pusher/auth', form('private-a'))).status).toBe(403);
    expect((await ask('/pusher/auth', form('private-a'), { headers: { 'x-tenant': 'red' } })).status).toBe(200);
  });

  @Injectable()
  class Wrap implements NestInterceptor {
    intercept(_: ExecutionContext, next: CallHandler): Observable<unknown> {
      return next.handle().pipe(map((data: unknown) => ({ data })));
    }
  }

  it('a global interceptor that is let in, and wraps answers, can recognize and skip these', async () => {
    @Injectable()
    class Skip extends Wrap {
      override intercept(context: ExecutionContext, next: CallHandler): Observable<unknown> {
        return isAuthorizer(context) ? next.handle() : super.intercept(context, next);
      }
    }
    const wrapping = (useClass: typeof Wrap) =>
      host({
        providers: [Everything, { provide: APP_INTERCEPTOR, useClass }],
        options: { globalInterceptors: true },
      });
    const wrapped = await wrapping(Wrap);
    expect(await wrapped.ask('/pusher/auth', form('private-a'))).toMatchObject({
      status: 500,
      answer: 'Internal server error\n',
    });
    expect(wrapped.lines.find(({ level }) => level === 'error')?.text).toContain(
      'Everything.yes must answer true or false, and answered an object with data',
    );
    expect((await (await wrapping(Skip)).ask('/pusher/auth', form('private-a'))).status).toBe(200);
  });

  it('a method with interceptors of its own gets the global ones too, and the boot warns of it', async () => {
    class Note implements NestInterceptor {
      intercept(_: ExecutionContext, next: CallHandler): Observable<unknown> {
        return next.handle();
      }
    }
    @Injectable()
    class Noted {
      @ChannelAuthorizer('private-{name*}')
      @UseInterceptors(Note)
      yes(): boolean {
        return true;
      }
    }
    const starting = (options?: AuthorizationOptions) =>
      host({
        providers: [Noted, { provide: APP_INTERCEPTOR, useClass: Wrap }],
        ...(options && { options }),
      });
    const warned = await starting();
    expect((await warned.ask('/pusher/auth', form('private-a'))).status).toBe(500);
    expect(warned.lines.filter(({ level }) => level === 'warn').map(({ text }) => text)).toEqual([
      'Noted.yes has interceptors, with which the global ones run too: one that wraps or caches answers must begin with ' +
        '`if (isAuthorizer(context)) return next.handle();`. Then set ' +
        'AuthorizationModule.forRoot({ globalInterceptors: true })',
    ]);
    const { lines } = await starting({ globalInterceptors: true });
    expect(lines.filter(({ level }) => level === 'warn')).toEqual([]);
  });

  it('guards and interceptors of the method run, and see the channel', async () => {
    const seen: unknown[] = [];
    @Injectable()
    class Notes implements NestInterceptor, CanActivate {
      canActivate(context: ExecutionContext): boolean {
        return (
          context.switchToHttp().getRequest<{ body: { channel_name: string } }>().body.channel_name !== 'private-b'
        );
      }
      intercept(context: ExecutionContext, next: CallHandler): Observable<unknown> {
        seen.push(context.getHandler().name);
        return next.handle();
      }
    }
    @Injectable()
    class Letters {
      @ChannelAuthorizer('private-{letter}')
      @UseGuards(Notes)
      @UseInterceptors(Notes)
      letter(
        @ChannelName() name: string,
        @SocketId() socket: string,
        @ChannelsApp() app: App,
        @ChannelParam() all: object,
      ) {
        seen.push(name, socket, app.id, all);
        return true;
      }
    }
    const { ask } = await host({ providers: [Notes, Letters] });
    expect((await ask('/pusher/auth', form('private-a'))).status).toBe(200);
    expect(seen).toEqual(['letter', 'private-a', socketId, testApp.id, { letter: 'a' }]);
    expect((await ask('/pusher/auth', form('private-b'))).status).toBe(403);
  });
});

describe('the results and exceptions of a method', () => {
  const answering = async (answer: () => unknown) => {
    @Injectable()
    class Rooms {
      @ChannelAuthorizer('presence-room')
      room(): ChannelMember {
        return answer() as ChannelMember;
      }
    }
    const { ask, lines } = await host({ providers: [Rooms] });
    const { status, answer: text, headers } = await ask('/pusher/auth', form('presence-room'));
    return { status, text, headers, errors: lines.filter(({ level }) => level === 'error').map((line) => line.text) };
  };

  it.each([null, undefined, false])('%s denies', async (nothing) => {
    expect(await answering(() => nothing)).toMatchObject({ status: 403, errors: [] });
  });

  it('a number is a valid id', async () => {
    const { text } = await answering(() => ({ id: 7 }));
    expect(text).toEqual(library.authorizeChannel(socketId, 'presence-room', { user_id: '7' }));
  });

  it.each([
    [true, 'Rooms.room must answer { id, info } or false, and answered boolean'],
    [{ name: 'x' }, 'Rooms.room must answer an id of 1 to 128 characters, and answered undefined'],
    [{ id: 'x'.repeat(129) }, 'an id of 1 to 128 characters, and answered string'],
    [{ id: 'a\0b' }, 'Rooms.room must answer an id without NUL or half a surrogate pair, and answered string'],
    [{ id: 'x', info: 'y'.repeat(1023) }, 'Rooms.room answered an info of more than 1024 bytes of JSON'],
  ])('%j is a mistake that is logged', async (answer, line) => {
    const { status, text, errors } = await answering(() => answer);
    expect([status, text, errors.length]).toEqual([500, 'Internal server error\n', 1]);
    expect(errors[0]).toContain(line);
  });

  it.each([
    [new BadRequestException('no such room'), 403, 'no such room', null],
    [new Unavailable('Redis'), 503, 'Service unavailable', '1'],
  ])('%s is answered with %i', async (error, status, text, retryAfter) => {
    const answered = await answering(() => {
      throw error;
    });
    expect(answered).toMatchObject({ status, text: `${text}\n`, errors: [] });
    expect(answered.headers.get('retry-after')).toBe(retryAfter);
  });
});

describe('the concurrency', () => {
  it('is bounded: further requests are answered 503 with Retry-After, and admitted once there is room', async () => {
    const gates: (() => void)[] = [];
    @Injectable()
    class Slow {
      @ChannelAuthorizer('private-{name}')
      async slow(): Promise<boolean> {
        await new Promise<void>((resolve) => gates.push(resolve));
        return true;
      }
    }
    const { ask } = await host({ providers: [Slow], options: { concurrency: 3 } });
    const both = ask('/pusher/auth', { socket_id: socketId, channel_name: ['private-a', 'private-b'] });
    await until(() => gates.length === 2, 'two methods are under way');
    const refused = await ask('/pusher/auth', { socket_id: socketId, channel_name: ['private-c', 'private-d'] });
    expect(refused).toMatchObject({ status: 503, answer: 'Too many authorizations at once\n' });
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
    const third = ask('/pusher/auth', form('private-e'));
    await until(() => gates.length === 3, 'the third is let in');
    expect((await ask('/pusher/auth', form('private-f'))).status).toBe(503);
    for (const open of gates) open();
    expect([(await both).status, (await third).status]).toEqual([200, 200]);
    const again = ask('/pusher/auth', form('private-f'));
    await until(() => gates.length === 4, 'there is room again');
    gates[3]!();
    expect((await again).status).toBe(200);
  });
});

describe('apps and keys', () => {
  const old = { key: 'old-key', secret: 'old-secret' };
  const shop = { id: 'shop', key: 'shop-key', secret: 'shop-secret', keys: [old] };
  const blog = { id: 'blog', key: 'blog-key', secret: 'blog-secret' };
  const signedBy = ({ key, secret }: typeof old, channel: string) =>
    new PusherServer({ appId: '1', key, secret, host: 'none' }).authorizeChannel(socketId, channel);

  @Injectable()
  class ShopChannels {
    @ChannelAuthorizer('private-orders')
    orders(): boolean {
      return true;
    }
    @ChannelAuthorizer('private-orders', { app: 'blog' })
    @ChannelAuthorizer('private-drafts', { app: 'blog' })
    drafts(): boolean {
      return true;
    }
    @ChannelAuthorizer('private-all', { app: '*' })
    all(@ChannelsApp() { id }: App): boolean {
      return id === 'blog';
    }
    @UserAuthenticator({ app: 'blog' })
    author() {
      return { id: 5 };
    }
  }

  it('a request names its app by a key, which signs the answer', async () => {
    const { ask } = await host({ providers: [ShopChannels], apps: [shop, blog], options: { appId: 'shop' } });
    const answer = async (channel: string, key?: string) => {
      const { status, answer: body } = await ask('/pusher/auth', form(channel) + (key ? `&app_key=${key}` : ''));
      return status === 200 ? (body as unknown) : status;
    };
    expect(await answer('private-orders')).toEqual(signedBy(shop, 'private-orders'));
    expect(await answer('private-orders', 'old-key')).toEqual(signedBy(old, 'private-orders'));
    expect(await answer('private-orders', 'blog-key')).toEqual(signedBy(blog, 'private-orders'));
    // Nothing crosses: a method answers for its app alone.
    expect(await answer('private-drafts')).toBe(403);
    expect(await answer('private-drafts', 'blog-key')).toEqual(signedBy(blog, 'private-drafts'));
    expect([await answer('private-all'), await answer('private-all', 'nobody')]).toEqual([403, 403]);
    expect(await answer('private-all', 'blog-key')).toEqual(signedBy(blog, 'private-all'));
    const query = await ask('/pusher/auth?app_key=blog-key', form('private-drafts'));
    expect(query.status).toBe(200);
    expect((await ask('/pusher/user-auth', `socket_id=${socketId}`)).status).toBe(403);
    expect(await ask('/pusher/user-auth', `socket_id=${socketId}&app_key=blog-key`)).toMatchObject({
      answer: { user_data: '{"id":"5"}' },
    });
  });

  it('says at the start that an app has no master key for the encrypted channels of a method', async () => {
    const warned = async (...apps: Parameters<typeof host>[0]['apps'] & object) =>
      (await host({ providers: [Users], apps })).lines.filter(({ level }) => level === 'warn').map(({ text }) => text);
    expect(await warned(testApp)).toEqual([
      `private-encrypted-notes.{owner}: Users.isOwner refuses all: app ${testApp.id} has no encryptionMasterKeyBase64`,
    ]);
    expect(await warned({ ...testApp, encryptionMasterKeyBase64: masterKey })).toEqual([]);
  });

  it('a disabled app authorizes nothing, and one without a master key no encrypted channel', async () => {
    const { ask } = await host({ providers: [Everything], apps: [testApp] });
    expect(await ask('/pusher/auth', form('private-encrypted-a'))).toMatchObject({
      status: 403,
      answer: 'The app has no encryptionMasterKeyBase64\n',
    });
    const disabled = await host({ providers: [Everything], apps: [{ ...testApp, enabled: false }] });
    expect(await disabled.ask('/pusher/auth', form('private-a'))).toMatchObject({
      status: 403,
      answer: 'Application is disabled\n',
    });
  });
});

describe('its paths', () => {
  describe.each(['Fastify', 'Express'] as const)('with a global prefix, on %s', (platform) => {
    /** As modules apply middleware for tenants and logins. */
    @Module({})
    class Tenants implements NestModule {
      configure(consumer: MiddlewareConsumer) {
        const tenancy = (request: { headers: Record<string, string> }, _: unknown, next: () => void) => {
          request.headers['x-user'] = `${request.headers['x-tenant']} user`;
          next();
        };
        consumer.apply(tenancy).forRoutes('*');
      }
    }

    @Injectable()
    class Greetings {
      @ChannelAuthorizer('presence-lobby')
      enter(@Headers('x-user') id: string): ChannelMember | false {
        return id !== undefined && { id };
      }
    }

    const asked = async (path: string, options: AuthorizationOptions, exclude: string[] = []) => {
      const { ask } = await host({
        platform,
        providers: [Greetings],
        options,
        imports: [Tenants],
        prepare: (app) => app.setGlobalPrefix('api', { exclude }),
      });
      const { status, answer } = await ask(path, form('presence-lobby'), { headers: { 'x-tenant': 'red' } });
      return { status, member: status === 200 && JSON.parse((answer as { channel_data: string }).channel_data) };
    };
    const admitted = { status: 200, member: { user_id: 'red user' } };

    it("are below it, so that the middleware of the host's modules runs", async () => {
      expect(await asked('/api/pusher/auth', {})).toEqual(admitted);
    });

    it('may be outside of it, where that middleware does not run', async () => {
      expect((await asked('/pusher/auth', { useGlobalPrefix: false })).status).toBe(403);
    });

    it('may be outside of it, where that middleware runs for an excluded path', async () => {
      expect(await asked('/pusher/auth', { useGlobalPrefix: false }, ['pusher/{*path}'])).toEqual(admitted);
    });
  });

  it.each(['Fastify', 'Express'] as const)(
    'paths are settings, and follow the global prefix on %s',
    async (platform) => {
      const { ask, lines } = await host({
        platform,
        providers: [Channels, Users, Orders, LoginGuard],
        options: { paths: { channels: '/broadcasting/auth' } },
        prepare: (app) => app.setGlobalPrefix('api'),
      });
      expect((await ask('/api/broadcasting/auth', form('private-orders.7'))).status).toBe(200);
      expect((await ask('/pusher/auth', form('private-orders.7'))).status).toBe(404);
      expect(lines.find(({ context }) => context === 'AuthorizationModule')?.text).toBe(
        'Serves /api/broadcasting/auth, /api/pusher/user-auth; private-orders.{orderId}: Channels.canSeeOrder, ' +
          'presence-room.{roomId}: Channels.enter, private-encrypted-notes.{owner}: Users.isOwner, ' +
          'UserAuthenticator: Users.signIn',
      );
    },
  );
});

describe('the Beams token of the user', () => {
  const beamsHost = async (platform: Platform, options: AuthorizationOptions = {}) => {
    const { app, lines } = await createHost({
      platform,
      imports: [
        PresenceModule.forRoot(),
        ChannelsModule.forRoot({ apps: [testApp] }),
        PushDeviceModule.forRoot({ instances: [instance] }),
        AuthorizationModule.forRoot(options),
      ],
      providers: [Orders, Channels, Users],
    });
    closing.push(() => app.close());
    return { lines, ...(await listen(app)) };
  };

  it.each(['Fastify', 'Express'] as const)('makes a device the user’s, on %s', async (platform) => {
    const { url } = await beamsHost(platform);
    // What the TokenProvider of the web SDK sends.
    const fetched = await fetch(`${url}/pusher/beams-auth?user_id=alice`, { headers: { cookie: 'session=alice' } });
    expect([fetched.status, fetched.headers.get('cache-control')]).toEqual([200, 'no-store']);
    const { token } = (await fetched.json()) as { token: string };
    const devices = `${url}/device_api/v1/instances/${instance.id}/devices/fcm`;
    const headers = { 'content-type': 'application/json' };
    const { id } = (await (await fetch(devices, { method: 'POST', headers, body: '{"token":"t"}' })).json()) as {
      id: string;
    };
    const put = await fetch(`${devices}/${id}/user`, { method: 'PUT', headers: { authorization: `Bearer ${token}` } });
    expect(put.status).toBe(200);
    expect(await (await fetch(`${devices}/${id}`)).json()).toMatchObject({ userId: 'alice' });
  });

  it('needs no app if one method serves all apps', async () => {
    @Injectable()
    class Logins {
      @UserAuthenticator({ app: '*' })
      current(@ChannelsApp() app: unknown) {
        return { id: app === undefined ? 'alice' : 'of an app' };
      }
    }
    const { app } = await createHost({
      imports: [
        PresenceModule.forRoot(),
        ChannelsModule.forRoot({ apps: [testApp, { id: 'blog', key: 'blog-key', secret: 's' }] }),
        PushDeviceModule.forRoot({ instances: [instance] }),
        AuthorizationModule.forRoot(),
      ],
      providers: [Logins],
    });
    closing.push(() => app.close());
    const { url } = await listen(app);
    const ask = async (query: string) => (await fetch(`${url}/pusher/beams-auth?user_id=${query}`)).status;
    expect([await ask('alice'), await ask('bob'), await ask('alice&app_key=blog-key')]).toEqual([200, 403, 403]);
  });

  it('is only for the signed-in user', async () => {
    const { url } = await beamsHost('Fastify', { instanceId: instance.id, paths: { beams: '/beams' } });
    const ask = async (query: string, session: string) => {
      const response = await fetch(`${url}/beams${query}`, { headers: { cookie: `session=${session}` } });
      return [response.status, await response.text()];
    };
    expect(await ask('?user_id=bob', 'alice')).toEqual([403, 'Signed in as another user\n']);
    expect(await ask('?user_id=bob', 'nobody')).toEqual([401, 'Who are you?\n']);
    expect(await ask('', 'bob')).toEqual([200, expect.stringContaining('"token"')]);
  });

  it('needs PushDeviceModule', async () => {
    await expect(host({ providers: [Orders, Channels, Users], options: { instanceId: instance.id } })).rejects.toThrow(
      'instanceId needs PushDeviceModule',
    );
  });
});

describe('the boot reports in one line', () => {
  const booting = async (
    providers: Provider[],
    { apps = [testApp], options = {} }: { apps?: object[]; options?: object } = {},
  ) => {
    const imports = [
      PresenceModule.forRoot(),
      ChannelsModule.forRoot({ apps: apps as [typeof testApp] }),
      AuthorizationModule.forRoot(options),
    ];
    const { app } = await createHost({ imports, providers });
    closing.push(() => app.close());
    return app.init();
  };

  @Injectable()
  class Other {
    @ChannelAuthorizer('private-orders.{id}')
    mine(): boolean {
      return true;
    }
  }

  it('that two patterns match the same channel', async () => {
    await expect(booting([Channels, Orders, Other])).rejects.toThrow(
      'a channel could match both private-orders.{orderId}: Channels.canSeeOrder and private-orders.{id}: Other.mine',
    );
  });

  it('that a pattern is invalid', async () => {
    @Injectable()
    class Wrong {
      @ChannelAuthorizer('private-{a}{b}')
      wrong(): boolean {
        return true;
      }
    }
    await expect(booting([Wrong])).rejects.toThrow(
      "@ChannelAuthorizer('private-{a}{b}') of Wrong.wrong needs text between two parameters",
    );
  });

  it('that there are no methods', async () => {
    await expect(booting([Orders])).rejects.toThrow('no provider has a method with @ChannelAuthorizer()');
  });

  it('that a method must name its app if there are several', async () => {
    await expect(booting([Other], { apps: [testApp, { id: '4', key: 'k', secret: 's' }] })).rejects.toThrow(
      'for which app does Other.mine answer?',
    );
  });

  it('that two methods identify the user', async () => {
    @Injectable()
    class Second {
      @UserAuthenticator()
      me() {
        return users['bob'];
      }
    }
    await expect(booting([Users, Orders, Second])).rejects.toThrow(
      'Users.signIn and Second.me are both @UserAuthenticator() of one app',
    );
  });

  it('that ChannelsModule is missing, or a setting wrong', async () => {
    await expect(createHost({ imports: [AuthorizationModule.forRoot()], providers: [Other] })).rejects.toThrow(
      'AuthorizationModule needs ChannelsModule',
    );
    await expect(booting([Other], { options: { paths: { channel: '/x' } } })).rejects.toThrow(
      'paths.channel is not a setting',
    );
    await expect(booting([Other], { options: { paths: { channels: '/x/:id' } } })).rejects.toThrow(
      'paths.channels must be a path such as /pusher/auth',
    );
    await expect(booting([Other], { apps: [{ ...testApp, encryptionMasterKeyBase64: 'short' }] })).rejects.toThrow(
      'apps[0].encryptionMasterKeyBase64 must be 32 bytes in Base64',
    );
  });

  it('and the compiler, that a method answers what its kind of channel needs', () => {
    class Wrong {
      // @ts-expect-error A presence channel needs a member.
      @ChannelAuthorizer('presence-room')
      room(): boolean {
        return true;
      }
      // @ts-expect-error A private channel has none.
      @ChannelAuthorizer('private-room')
      notes(): ChannelMember {
        return { id: '7' };
      }
      // @ts-expect-error It begins with neither.
      @ChannelAuthorizer('room')
      public(): boolean {
        return true;
      }
    }
    expect(Wrong).toBeDefined();
  });
});
