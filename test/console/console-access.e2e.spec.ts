import { type CanActivate, type ExecutionContext, Injectable, Logger } from '@nestjs/common';
import { FastifyAdapter, type NestFastifyApplication } from '@nestjs/platform-fastify';
import { Test } from '@nestjs/testing';
import type { AddressInfo } from 'node:net';
import { ChannelsModule } from 'rookery/channels';
import { MemoryConsoleStore } from '#common';
import { RouteRegistrar } from '#http';
import { ConsoleModule } from '@rookery/console';
import { PresenceModule } from 'rookery/presence';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { rawExchange } from '../support/raw-http.js';
import { testApp } from '../support/channels-server.js';

const password = 'correct horse battery staple';

type Options = Parameters<typeof ConsoleModule.forRoot>[0];
type Headers = Record<string, string>;

const running: NestFastifyApplication[] = [];
async function consoleWith(options: Options): Promise<NestFastifyApplication> {
  const module = await Test.createTestingModule({
    imports: [PresenceModule.forRoot(), ChannelsModule.forRoot({ apps: [testApp] }), ConsoleModule.forRoot(options)],
  }).compile();
  Logger.overrideLogger(false);
  const app = module.createNestApplication<NestFastifyApplication>(new FastifyAdapter({ trustProxy: '10.0.0.1' }));
  await app.init();
  running.push(app);
  return app;
}
afterAll(() => Promise.all(running.map((app) => app.close())));
afterEach(() => vi.unstubAllEnvs());

type Method = 'GET' | 'POST' | 'DELETE' | 'PATCH';
interface Asked {
  readonly headers?: Headers;
  readonly body?: object;
  readonly from?: string;
}

const ask = (app: NestFastifyApplication, method: Method, path: string, { headers = {}, body, from }: Asked = {}) =>
  app.inject({
    method,
    url: `/console${path}`,
    remoteAddress: from ?? '127.0.0.1',
    headers: { host: 'localhost:6001', ...headers },
    ...(body && { payload: body }),
  });

/** The cookie and the token of a session. */
async function signedIn(app: NestFastifyApplication, headers: Headers = {}): Promise<Headers> {
  const answer = await ask(app, 'POST', '/api/session', { body: { password }, headers });
  expect(answer.statusCode).toBe(204);
  const cookie = String(answer.headers['set-cookie']).split(';')[0]!;
  const { csrfToken } = (await ask(app, 'GET', '/api/session', { headers: { ...headers, cookie } })).json<{
    csrfToken: string;
  }>();
  return { ...headers, cookie, 'x-csrf-token': csrfToken };
}

/** A change behind the guard. It answers 404 to permitted requests. */
const change = (app: NestFastifyApplication, headers: Headers, from?: string) =>
  ask(app, 'POST', '/api/nothing', { headers, ...(from !== undefined && { from }) });

describe('a console with a password', () => {
  let app: NestFastifyApplication;
  beforeAll(async () => void (app = await consoleWith({ password })));

  it('serves nothing of its API without a sign-in', async () => {
    const routes = app.get(RouteRegistrar, { each: true, strict: false }).flatMap(({ all }) => all);
    const guarded = routes.filter(({ path }) => path.startsWith('/console/api') && path !== '/console/api/session');
    expect(guarded.length).toBeGreaterThan(0);
    for (const { verb, path } of guarded) {
      const method = (verb === 'all' ? 'POST' : verb.toUpperCase()) as Method;
      const url = path.replace('/console', '').replace(/[:*]\w+/g, 'x');
      expect([path, (await ask(app, method, url)).statusCode]).toEqual([path, 401]);
      const { statusCode } = await ask(app, method, url, { headers: { cookie: 'rookery_console=9999999999999.x.x' } });
      expect([path, statusCode]).toEqual([path, 401]);
    }
  });

  it('describes only the session without a sign-in', async () => {
    const answer = await ask(app, 'GET', '/api/session');
    expect(answer.json()).toEqual({
      signedIn: false,
      needsPassword: true,
      development: false,
      csrfToken: null,
      hidesPayloads: false,
      version: expect.any(String) as string,
    });
    expect(answer.headers['cache-control']).toBe('no-store');
  });

  it('keeps its cookie from scripts, other sites and plain HTTP', async () => {
    const cookie = async (more: Asked) => {
      const { headers } = await ask(app, 'POST', '/api/session', { body: { password }, ...more });
      return String(headers['set-cookie']);
    };
    expect(await cookie({})).toMatch(
      /^rookery_console=[\w-]{43}; Path=\/console; HttpOnly; SameSite=Strict; Max-Age=43200$/,
    );
    expect(await cookie({ from: '10.0.0.1', headers: { 'x-forwarded-proto': 'https' } })).toMatch(/; Secure$/);
  });

  it('admits a session, and requests that carry the password', async () => {
    expect((await change(app, await signedIn(app))).statusCode).toBe(404);
    expect((await change(app, { authorization: `Bearer ${password}` })).statusCode).toBe(404);
    expect(
      (await ask(app, 'GET', '/api/session', { headers: { authorization: `Bearer ${password}` } })).json(),
    ).toMatchObject({ signedIn: true });
  });

  it('accepts a session in every process with the same password, and in no other', async () => {
    const consoleStore = { useValue: new MemoryConsoleStore() };
    const [one, other] = [await consoleWith({ password, consoleStore }), await consoleWith({ password, consoleStore })];
    const session = await signedIn(one);
    expect((await change(other, session)).statusCode).toBe(404);
    // The stored name grants no access: neither with another password, nor to a reader of the store.
    expect((await change(await consoleWith({ password: `${password}!`, consoleStore }), session)).statusCode).toBe(401);
    expect((await change(await consoleWith({ password }), session)).statusCode).toBe(401);
  });

  it('ends a session in every process when its user signs out, and its live stream', async () => {
    const consoleStore = { useValue: new MemoryConsoleStore() };
    const [one, other] = [await consoleWith({ password, consoleStore }), await consoleWith({ password, consoleStore })];
    const [session, stays] = [await signedIn(one), await signedIn(one)];
    await other.listen(0, '127.0.0.1');
    const { port } = other.getHttpServer().address() as AddressInfo;
    const live = (headers: Headers) =>
      fetch(`http://127.0.0.1:${port}/console/api/apps/${testApp.id}/live`, { headers });
    const [stream, lasting] = await Promise.all([live(session), live(stays)]);
    let ended = 0;
    const ending = stream.text().catch(() => undefined);
    void lasting.text().then(
      () => ended++,
      () => undefined,
    );
    expect((await ask(one, 'DELETE', '/api/session', { headers: session })).statusCode).toBe(204);
    for (const app_ of [one, other]) {
      expect((await change(app_, session)).statusCode).toBe(401);
      expect((await change(app_, stays)).statusCode).toBe(404);
    }
    await ending;
    expect(ended).toBe(0);
  });

  it('ends a session after twelve hours, and on request', async () => {
    const session = await signedIn(app);
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 12 * 3600 * 1000 + 1 });
    expect((await change(app, session)).statusCode).toBe(401);
    vi.useRealTimers();
    const { statusCode, headers } = await ask(app, 'DELETE', '/api/session', { headers: session });
    expect([statusCode, headers['set-cookie']]).toEqual([204, expect.stringMatching(/^rookery_console=;.*Max-Age=0/)]);
    expect((await change(app, session)).statusCode).toBe(401);
  });

  it("requires the session's token for every change", async () => {
    const { cookie, 'x-csrf-token': token } = (await signedIn(app)) as { cookie: string; 'x-csrf-token': string };
    const other = await signedIn(app);
    expect((await change(app, { cookie })).statusCode).toBe(403);
    expect((await change(app, { cookie, 'x-csrf-token': 'x' })).statusCode).toBe(403);
    expect((await change(app, { cookie, 'x-csrf-token': other['x-csrf-token']! })).statusCode).toBe(403);
    expect((await change(app, { cookie, 'x-csrf-token': token })).statusCode).toBe(404);
    expect((await ask(app, 'GET', '/api/nothing', { headers: { cookie } })).statusCode).toBe(404);
  });

  it('refuses requests from pages of other origins', async () => {
    const session = await signedIn(app);
    const foreigners: readonly Headers[] = [
      { origin: 'https://evil.example' },
      { origin: 'null' },
      { origin: 'http://localhost:6002' },
      { 'sec-fetch-site': 'cross-site' },
      { 'sec-fetch-site': 'same-site' },
    ];
    for (const foreign of foreigners) {
      const { statusCode, body } = await change(app, { ...session, ...foreign });
      expect([foreign, statusCode, body]).toEqual([foreign, 403, expect.stringContaining('another origin')]);
      const signIn = await ask(app, 'POST', '/api/session', { body: { password }, headers: foreign });
      expect([foreign, signIn.statusCode]).toEqual([foreign, 403]);
    }
    const own = { origin: 'http://localhost:6001', 'sec-fetch-site': 'same-origin' };
    expect((await change(app, { ...session, ...own })).statusCode).toBe(404);
  });

  it('blocks only an address with five wrong passwords, even if the next is right', async () => {
    const from = '203.0.113.9';
    const guess = (given: string, address = from) =>
      ask(app, 'POST', '/api/session', { body: { password: given }, from: address });
    for (let i = 0; i < 5; i++) expect((await guess(`guess ${i}`)).statusCode).toBe(401);
    const stopped = await guess('guess 5');
    expect(stopped.statusCode).toBe(429);
    expect(Number(stopped.headers['retry-after'])).toBeGreaterThan(0);
    expect(stopped.json()).toEqual({ error: expect.stringContaining('Too many wrong passwords') as string });
    expect((await guess(password)).statusCode).toBe(429);
    expect((await change(app, { authorization: `Bearer ${password}` }, from)).statusCode).toBe(429);
    expect((await guess(password, '203.0.113.10')).statusCode).toBe(204);
    const now = performance.now();
    const clock = vi.spyOn(performance, 'now').mockReturnValue(now + 60_000);
    expect((await guess(password)).statusCode).toBe(204);
    clock.mockRestore();
  });

  it('counts the guesses of a client behind a proxy that adds its port, or no address', async () => {
    let port = 1024;
    const guess = (forwarded: string) =>
      change(app, { authorization: `Bearer guess ${(port += 1)}`, 'x-forwarded-for': forwarded }, '10.0.0.1');
    for (const client of [() => `203.0.113.11:${port}`, () => `[2001:db8::1]:${port}`, () => `unknown-${port}`]) {
      for (let i = 0; i < 5; i++) expect((await guess(client())).statusCode).toBe(401);
      expect((await guess(client())).statusCode).toBe(429);
    }
  });

  it('checks five of 700 concurrent guesses on one connection', async () => {
    const lines = (given: string) =>
      `GET /console/api/nothing HTTP/1.1\r\nhost: localhost\r\nauthorization: Bearer ${given}\r\n`;
    const guesses = Array.from({ length: 699 }, (_, n) => `${lines(`guess ${n}`)}\r\n`);
    const listening = await consoleWith({ password });
    await listening.listen(0, '127.0.0.1');
    const { port } = listening.getHttpServer().address() as AddressInfo;
    const text = await rawExchange(port, [`${guesses.join('')}${lines(password)}connection: close\r\n\r\n`]);
    const statuses = [...text.matchAll(/HTTP\/1\.1 (\d+)/g)].map(([, status]) => status);
    expect(statuses).toHaveLength(700);
    expect(statuses.filter((status) => status === '401')).toHaveLength(5);
    expect(statuses.at(-1)).toBe('429');
  });

  it('answers a malformed body with a sentence', async () => {
    const sent = await app.inject({
      method: 'POST',
      url: '/console/api/session',
      payload: '[',
      headers: { 'content-type': 'text/plain' },
    });
    expect([sent.statusCode, sent.json()]).toEqual([400, { error: expect.stringContaining('JSON object') as string }]);
    expect((await ask(app, 'POST', '/api/session', { body: { password: 7 } })).statusCode).toBe(400);
    const large = await ask(app, 'POST', '/api/session', { body: { password: 'x'.repeat(300_000) } });
    expect([large.statusCode, large.json()]).toEqual([413, { error: expect.stringContaining('larger') as string }]);
  });

  it('lets browsers run only its own files, and forbids framing', async () => {
    for (const path of ['', '/live', '/api/session', '/api/nothing']) {
      const { headers } = await ask(app, 'GET', path);
      expect(headers['content-security-policy']).toBe(
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; " +
          "font-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'",
      );
      expect(headers).toMatchObject({ 'x-content-type-options': 'nosniff', 'referrer-policy': 'no-referrer' });
    }
  });

  it('serves only the files of its pages', async () => {
    // Addresses within the page may have dots: the socket of a connection has one. They are answered by the page, or by
    // that it is not built.
    const [page, socket] = await Promise.all(['', '/apps/1/connections/123.456'].map((path) => ask(app, 'GET', path)));
    expect([socket?.statusCode, socket?.body]).toEqual([page?.statusCode, page?.body]);
    for (const path of [
      '/../package.json',
      '/..%2f..%2fpackage.json',
      '/assets/../../package.json',
      '/.env',
      '/assets/none.js',
      '/sbom.cdx.json',
    ])
      expect([path, (await ask(app, 'GET', path)).statusCode]).toEqual([
        path,
        expect.toSatisfy((status) => status !== 200),
      ]);
  });
});

describe('a console in development', () => {
  let app: NestFastifyApplication;
  beforeAll(async () => void (app = await consoleWith({ development: true })));

  it('is open on this machine', async () => {
    for (const host of ['localhost:6001', '127.0.0.1:6001', '[::1]:6001', 'rookery.localhost']) {
      const answer = await ask(app, 'GET', '/api/session', { headers: { host } });
      const { csrfToken, ...state } = answer.json<Record<string, unknown>>();
      expect(state).toMatchObject({ signedIn: true, needsPassword: false, development: true });
      const cookie = String(answer.headers['set-cookie']).split(';')[0]!;
      expect((await change(app, { host, cookie, 'x-csrf-token': String(csrfToken) })).statusCode).toBe(404);
      expect((await change(app, { host })).statusCode).toBe(403);
    }
  });

  it.each<[string, Asked]>([
    ['another machine', { from: '192.168.1.7' }],
    ['a name that leads here for a moment', { headers: { host: 'rebind.example:6001' } }],
    ['a name that begins like this machine', { headers: { host: 'localhost.evil.example' } }],
    ['a client behind a proxy on this machine', { headers: { 'x-forwarded-for': '203.0.113.9' } }],
  ])('is closed to %s', async (_whom, asked) => {
    for (const path of ['', '/live', '/api/nothing']) expect((await ask(app, 'GET', path, asked)).statusCode).toBe(403);
    expect((await ask(app, 'GET', '/api/session', asked)).json()).toMatchObject({ signedIn: false, csrfToken: null });
  });
});

@Injectable()
class StaffGuard implements CanActivate {
  canActivate(context: ExecutionContext): boolean {
    return context.switchToHttp().getRequest<{ headers: Headers }>().headers['x-staff'] === 'yes';
  }
}

describe('a console behind the host’s guards', () => {
  it('is open to requests that they accept, including the pages', async () => {
    const app = await consoleWith({ guards: [StaffGuard] });
    for (const path of ['', '/live', '/api/nothing']) expect((await ask(app, 'GET', path)).statusCode).toBe(403);
    expect((await ask(app, 'GET', '/api/session')).json()).toMatchObject({ signedIn: false, needsPassword: false });
    const staff = { 'x-staff': 'yes' };
    expect((await ask(app, 'GET', '/api/nothing', { headers: staff })).statusCode).toBe(404);
    expect((await change(app, staff)).statusCode).toBe(403);
    const answer = await ask(app, 'GET', '/api/session', { headers: staff });
    const { csrfToken } = answer.json<{ csrfToken: string }>();
    const cookie = String(answer.headers['set-cookie']).split(';')[0]!;
    expect((await change(app, { ...staff, cookie, 'x-csrf-token': csrfToken })).statusCode).toBe(404);
  });
});

describe('an unprotected console', () => {
  it.each<[string, Options, string]>([
    ['has neither a password nor guards', {}, 'there is no way to sign in. Set a password'],
    ['says it twice', { password, guards: [StaffGuard] }, 'either password or guards'],
    ['has a short password', { password: 'short' }, 'password must have at least 12 characters in production'],
    ['is in development', { development: true }, 'development: true asks for no password'],
  ])('does not start in production when it %s', async (_what, options, text) => {
    vi.stubEnv('NODE_ENV', 'production');
    await expect(consoleWith(options)).rejects.toThrow(text);
  });
});
