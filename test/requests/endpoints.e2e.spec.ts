import Pusher from 'pusher';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { newSessionId, request, RequestFailed } from '@rookery/client';
import { type AppConfig, Apps } from 'rookery/channels';
import { ConnectProxy } from '../support/connect-proxy.js';
import { joined } from '../support/pusher-js.js';
import { SocketClient } from '../support/socket-client.js';
import { testApp } from '../support/test-app.js';
import { until } from '../support/until.js';
import { type ReceivedWebhook, WebhookReceiver } from '../support/webhook-receiver.js';
import { startGames } from './game-host.js';

type Host = Awaited<ReturnType<typeof startGames>>;
const replyBytes = 30_000;
let backend: WebhookReceiver;
let host: Host;

const appWith = (): AppConfig => ({
  ...testApp,
  requests: [
    { name: 'game.*', channels: 'private-game.*', url: backend.url('/games') },
    { name: 'game.*', channels: 'private-*', url: backend.url('/secrets') },
    { name: 'search', url: backend.url('/search') },
    { name: 'echo', url: backend.url('/never') },
    { name: 'slow', url: backend.url('/slow'), timeoutMs: 2000 },
    { name: 'down', url: 'http://127.0.0.1:1/' },
  ],
});

beforeAll(async () => {
  backend = await WebhookReceiver.start();
  const requests = { replyBytes, perSecond: 1000, underWay: 1000 };
  host = await startGames({ apps: [appWith()], requests, allowPrivateNetwork: true });
});
afterEach(() => {
  host.disconnect();
  backend.received.length = 0;
});
afterAll(async () => {
  await host.close();
  await backend.close();
});

const answers = (path: string, status: number, body = '', type = 'application/json'): void =>
  backend.reply(path, (response) => response.writeHead(status, { 'content-type': type }).end(body));

const failure = (asked: Promise<unknown>): Promise<RequestFailed> =>
  asked.then(
    (reply) => Promise.reject(new Error(`a reply came: ${String(reply)}`)),
    (error: RequestFailed) => error,
  );

/** What a backend was asked. */
const asked = ({ rawBody }: ReceivedWebhook) => JSON.parse(rawBody) as Record<string, unknown>;

describe('an endpoint that hangs', () => {
  it('delays no other, not even one of the same server, and gets few requests until it answers', async () => {
    backend.reply('/slow', () => {});
    answers('/search', 200, '"found"');
    const [alice, bob] = [host.connect('alice'), host.connect('bob')];
    await request(bob, 'search');
    const slow = Array.from({ length: 100 }, () => failure(request(alice, 'slow')));
    await until(() => backend.at('/slow').length >= 64, 'it has all that it gets at once');
    expect(await request(bob, 'search')).toBe('found');
    expect(backend.at('/slow')).toHaveLength(64);
    for (const error of await Promise.all(slow))
      expect(error).toMatchObject({ status: 504, message: 'No reply within 2000 ms' });
    const pauses = () => host.lines.filter(({ text }) => text.includes('are refused until it answers'));
    await until(() => pauses().length > 0, 'it pauses');
    const refused = await failure(request(alice, 'slow', 'refused'));
    expect(refused).toMatchObject({ status: 503, message: 'Service unavailable' });
    expect(backend.at('/slow').map(asked)).not.toContainEqual(expect.objectContaining({ data: 'refused' }));
    answers('/slow', 200, '"awake"');
    await until(async () => (await request(alice, 'slow').catch(() => '')) === 'awake', 'it is asked again');
    expect(await request(alice, 'slow')).toBe('awake');
    expect(pauses()).toHaveLength(1);
  });
});

describe('an endpoint of an app', () => {
  it('answers what a page asks on a channel, and learns who asks', async () => {
    answers('/games', 200, '{"moves":1}');
    const alice = host.connect('alice');
    alice.signin();
    const game = await joined(alice, 'private-game.7');
    await alice.user.signinDonePromise;
    expect(await request(game, 'game.move', { field: 4 })).toEqual({ moves: 1 });
    expect(backend.at('/games').map(asked)).toEqual([
      {
        app_id: testApp.id,
        time_ms: expect.closeTo(Date.now(), -5) as number,
        name: 'game.move',
        channel: 'private-game.7',
        socket_id: alice.connection.socket_id,
        user_id: 'alice',
        data: { field: 4 },
      },
    ]);
  });

  it('is sent requests that the official library verifies', async () => {
    answers('/search', 200, '[]');
    expect(await request(host.connect('alice'), 'search', 'fork')).toEqual([]);
    const [received] = backend.at('/search');
    const library = new Pusher({ appId: testApp.id, ...testApp, host: '127.0.0.1' });
    expect(library.webhook(received!).isValid()).toBe(true);
    expect(library.webhook({ ...received!, rawBody: received!.rawBody.replace('fork', 'spoon') }).isValid()).toBe(
      false,
    );
    expect(asked(received!)).not.toHaveProperty('channel');
    expect(asked(received!)).not.toHaveProperty('user_id');
  });

  it('is asked only what its app names, and only by subscribers', async () => {
    const client = await SocketClient.connect(host.port);
    await Promise.all(['private-game.7', 'private-encrypted-1'].map((channel) => client.subscribe(channel)));
    for (const [channel, name, status] of [
      ['private-game.7', 'other', 404],
      ['private-game.7', 'search', 404],
      ['private-encrypted-1', 'game.move', 404],
      ['private-game.8', 'game.move', 403],
      [undefined, 'game.move', 404],
    ] as const) {
      client.send({ event: 'rookery:request', channel, data: { id: 'q', name } });
      const { data } = await client.next('rookery:reply');
      expect(JSON.parse(data as string)).toMatchObject({ error: { status } });
    }
    expect(backend.received).toEqual([]);
    client.close();
  });

  it('comes after a method of the host', async () => {
    expect(await request(host.connect('alice'), 'echo', 7)).toBe(7);
    expect(backend.received).toEqual([]);
  });

  it.each([
    ['null, for an empty body', 204, '', null],
    ['any JSON', 200, ' {"a":[1,"ä"]}\n', { a: [1, 'ä'] }],
    ['a long one, in pieces', 200, JSON.stringify('ä'.repeat(14_000)), 'ä'.repeat(14_000)],
  ])('replies with %s', async (_, status, body, reply) => {
    answers('/search', status, body);
    expect(await request(host.connect('alice'), 'search')).toEqual(reply);
  });

  it.each([
    ['the message of JSON', 409, '{"message":"This field is taken"}', 'application/json', 'This field is taken'],
    ['several messages', 422, '{"message":["a is wrong","b is wrong"]}', 'application/json', 'a is wrong; b is wrong'],
    ['a plain text', 403, 'Not your turn', 'text/plain; charset=utf-8', 'Not your turn'],
    ['the words of the status, for a page', 404, '<h1>no</h1>', 'text/html', 'Not Found'],
    ['at most 1000 characters', 400, 'x'.repeat(2000), 'text/plain', 'x'.repeat(1000)],
  ])('refuses with its status and %s', async (_, status, body, type, message) => {
    answers('/search', status, body, type);
    const error = await failure(request(host.connect('alice'), 'search'));
    expect(error).toMatchObject({ reason: 'refused', status, message });
  });

  it.each([
    ['a 500', 500, '{"message":"secret"}', 'it answered 500'],
    ['a redirect, which is not followed', 302, '', 'it answered 302'],
    ['what is not JSON', 200, '<h1>hello</h1>', 'its reply is not JSON'],
    [
      'too long a reply',
      200,
      JSON.stringify('x'.repeat(replyBytes)),
      'its reply has more bytes than requests.replyBytes',
    ],
  ])('is a bad gateway with %s; the log says why', async (_, status, body, why) => {
    answers('/search', status, body);
    const { status: got, message } = await failure(request(host.connect('alice'), 'search'));
    const [, id] = /^Bad Gateway \((.{36})\)$/.exec(message) ?? [];
    expect(got).toBe(502);
    const { text } = host.lines.find((line) => line.text.includes(id!))!;
    expect(text).toContain(`${backend.url('/search')} of app 3: ${why}`);
  });

  it('is asked through the proxy of a closed network, by a name that only the proxy knows', async () => {
    const proxy = await ConnectProxy.start();
    vi.stubEnv('HTTP_PROXY', proxy.url());
    const url = backend.url('/search').replace('127.0.0.1', 'games.push.example');
    const closed = await startGames({ apps: [{ ...testApp, requests: [{ name: 'search', url }] }] });
    answers('/search', 200, '"found"');
    expect(await request(closed.connect('alice'), 'search', 'fork')).toBe('found');
    expect(backend.at('/search').map(asked)).toMatchObject([{ name: 'search', data: 'fork' }]);
    expect(proxy.asked).toEqual([new URL(url).host]);
    closed.disconnect();
    await closed.close();
    await proxy.close();
    vi.unstubAllEnvs();
  });

  it('that is down is a bad gateway', async () => {
    expect(await failure(request(host.connect('alice'), 'down'))).toMatchObject({ status: 502 });
  });

  it('is asked once by a session, though the page asks again', async () => {
    const sessions = await startGames({
      apps: [{ ...appWith(), history: [{ channels: 'private-*' }] }],
      allowPrivateNetwork: true,
    });
    let reply = (): void => {};
    backend.reply('/search', (response) => (reply = () => response.end('"found"')));
    const client = sessions.connect('alice', undefined, { wsPath: `/session/${newSessionId()}` });
    const searched = request(client, 'search');
    await until(() => backend.at('/search').length === 1, 'the endpoint is asked');
    const { socket_id: lost } = client.connection;
    (client.connection as unknown as { connection: { close(): void } }).connection.close();
    await until(() => ![lost, null].includes(client.connection.socket_id), 'the client is back');
    reply();
    expect(await searched).toBe('found');
    expect(backend.at('/search')).toHaveLength(1);
    sessions.disconnect();
    await sessions.close();
  });

  it('follows a reload of the app', async () => {
    const alice = host.connect('alice');
    answers('/new', 200, '"new"');
    expect(await failure(request(alice, 'added'))).toMatchObject({ status: 404 });
    const { configured } = host.app.get(Apps);
    configured!.replace([{ ...testApp, requests: [{ name: 'added', url: backend.url('/new') }] }]);
    expect(await request(alice, 'added')).toBe('new');
    configured!.replace([appWith()]);
    expect(await failure(request(alice, 'added'))).toMatchObject({ status: 404 });
  });
});

describe('a private address', () => {
  it.each(['http://127.0.0.1:1/', 'http://10.0.0.7/', 'http://[::1]/', 'http://169.254.169.254/latest/meta-data'])(
    'is refused, unless it is allowed: %s',
    async (url) => {
      const guarded = await startGames({ apps: [{ ...testApp, requests: [{ name: 'search', url }] }] });
      const { status, message } = await failure(request(guarded.connect('alice'), 'search'));
      const [, id] = /^Bad Gateway \((.{36})\)$/.exec(message) ?? [];
      expect(status).toBe(502);
      const { text } = guarded.lines.find((line) => line.text.includes(id!))!;
      expect(text).toContain('has no public address (set allowPrivateNetwork to permit it)');
      guarded.disconnect();
      await guarded.close();
    },
  );
});

it.each([
  [{ name: '*.move' }, 'name must be a name, or a prefix followed by *'],
  [{ channels: 'a*b' }, 'channels must be a channel name, or a prefix followed by *'],
  [{ url: 'ftp://example.com' }, 'url must be an http or https URL'],
  [{ timeoutMs: 60_000 }, 'timeoutMs must be a whole number from 1 to 50000'],
])('stops the start for a wrong setting: %j', async (wrong, message) => {
  const endpoint = { name: 'search', url: 'https://example.com', ...wrong };
  await expect(startGames({ apps: [{ ...testApp, requests: [endpoint] }] })).rejects.toThrow(message);
});
