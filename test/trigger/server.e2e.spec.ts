import PushNotifications from '@pusher/push-notifications-server';
import { createHmac } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createContext, runInContext } from 'node:vm';
import Pusher from 'pusher';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { beamsClient, channelsClient, type ChannelsOptions, RequestFailed } from '@rookery/client/server';
import { bundled } from '../support/bundle.js';
import { type ChannelsServer, startChannels, testApp } from '../support/channels-server.js';
import { startPublishApp } from '../support/publish-app.js';
import { instance } from '../support/push-app.js';
import { SocketClient } from '../support/socket-client.js';
import { until } from '../support/until.js';

const encryptionMasterKeyBase64 = Buffer.alloc(32, 7).toString('base64');
const credentials = { appId: testApp.id, key: testApp.key, secret: testApp.secret, encryptionMasterKeyBase64 };
const official = new Pusher({ ...credentials, cluster: 'self' });

describe('@rookery/client/server and the library pusher', () => {
  const ours = channelsClient({ ...credentials, url: 'https://push.example.com' });

  it.each([
    ['private-orders', undefined],
    ['presence-room', { user_id: 'ü', user_info: { name: 'Ünal' } }],
    ['private-encrypted-notes', undefined],
    ['private-orders', { user_id: 'alice' }],
  ])('authorize %s alike', async (channel, member) => {
    expect(await ours.authorizeChannel('1.2', channel, member)).toEqual(
      official.authorizeChannel('1.2', channel, member),
    );
  });

  it('authenticate a user alike', async () => {
    const user = { id: 'alice', user_info: { name: 'Älice' }, watchlist: ['bob'] };
    expect(await ours.authenticateUser('1.2', user)).toEqual(official.authenticateUser('1.2', user));
  });

  it('sign requests alike', async () => {
    vi.spyOn(Date, 'now').mockReturnValue(1_700_000_000_000);
    const urls: string[] = [];
    const fetch = async (url: string, { body, method }: RequestInit) => {
      const { pathname, search } = new URL(url);
      const params = new URLSearchParams(search);
      const own = Object.fromEntries([...params].filter(([name]) => !/^auth_|^body_md5$/.test(name)));
      const request = { method: method!, path: pathname, body: body as string | undefined, params: own };
      const theirs = new URLSearchParams(official.createSignedQueryString(request));
      expect(Object.fromEntries(params)).toEqual(Object.fromEntries(theirs));
      urls.push(pathname);
      return new Response('{}');
    };
    const prefixed = channelsClient({ ...credentials, url: 'https://push.example.com/some/prefix/', fetch });
    await prefixed.trigger('orders', 'e', { text: 'ü€🐦' });
    await prefixed.triggerBatch([{ channel: 'orders', name: 'e', data: 'x'.repeat(10_000) }]);
    await prefixed.get('channels', { filter_by_prefix: 'presence-', info: 'user_count' });
    vi.restoreAllMocks();
    expect(urls.map((url) => url.replace('/some/prefix/apps/3/', ''))).toEqual(['events', 'batch_events', 'channels']);
  });

  it('read webhooks alike', async () => {
    const body = JSON.stringify({ time_ms: 1, events: [{ name: 'channel_occupied', channel: 'ü' }] });
    const { auth } = await ours.authenticateUser('1.2', { id: 'x' });
    const signature = createHmac('sha256', testApp.secret).update(body).digest('hex');
    const webhook = (text: string, headers: Record<string, string>) =>
      ours.webhook(new Request('https://example.com', { method: 'POST', body: text, headers }));
    const headers = { 'x-pusher-key': testApp.key, 'x-pusher-signature': signature };
    expect(await webhook(body, headers)).toEqual({ time_ms: 1, events: [{ name: 'channel_occupied', channel: 'ü' }] });
    for (const [text, given] of [
      [`${body} `, headers],
      [body, { ...headers, 'x-pusher-key': 'another' }],
      [body, { ...headers, 'x-pusher-signature': auth.slice(-64) }],
      [body, { 'x-pusher-key': testApp.key }],
    ] as const)
      await expect(webhook(text, given)).rejects.toThrow('Not a webhook of the app');
  });

  it.each([
    ['1.2:private-a', 'b', 'Invalid: 1.2:private-a'],
    ['1', 'private-a', 'Invalid: 1'],
    ['1.2', ':user::{"id":"admin"}', 'Invalid: :user::'],
    ['1.2', 'private-a:b', 'Invalid: private-a:b'],
    ['1.2', '', 'Invalid: '],
  ])('sign nothing ambiguous: %s %s', async (socketId, channel, message) => {
    await expect(ours.authorizeChannel(socketId, channel)).rejects.toThrow(message);
    expect(() => official.authorizeChannel(socketId, channel)).toThrow();
  });

  it('names unsupported features', async () => {
    const message = 'Cannot encrypt for private-encrypted-a';
    await expect(ours.trigger('private-encrypted-a', 'e', 1)).rejects.toThrow(message);
    await expect(ours.trigger(['a', 'private-encrypted-a'], 'e', 1)).rejects.toThrow(message);
    await expect(ours.triggerBatch([{ channel: 'private-encrypted-a', name: 'e', data: 1 }])).rejects.toThrow(message);
    const { encryptionMasterKeyBase64: _, ...without } = credentials;
    await expect(
      channelsClient({ ...without, url: 'https://a.example' }).authorizeChannel('1.2', 'private-encrypted-a'),
    ).rejects.toThrow('private-encrypted-a needs encryptionMasterKeyBase64');
  });
});

describe('channelsClient', () => {
  let server: ChannelsServer;
  const clients: SocketClient[] = [];
  beforeAll(async () => {
    const app = { ...testApp, subscriptionCount: true, history: [{ channels: 'kept' }] };
    server = await startChannels({ apps: [app] });
  });
  afterEach(() => {
    for (const client of clients.splice(0)) client.close();
  });
  afterAll(() => server.close());

  const client = (options: Partial<ChannelsOptions> = {}) =>
    channelsClient({ ...credentials, url: `http://127.0.0.1:${server.port}`, ...options });

  async function connect(): Promise<SocketClient> {
    const connected = await SocketClient.connect(server.port);
    clients.push(connected);
    return connected;
  }

  it('triggers an event on several channels, except for the excluded connection', async () => {
    const [alice, bob] = [await connect(), await connect()];
    await alice.subscribe('a');
    await bob.subscribe('b');
    const options = { socket_id: bob.socketId, info: 'subscription_count' };
    expect(await client().trigger(['a', 'b'], 'e', { ü: [1] }, options)).toEqual({
      channels: { a: { subscription_count: 1 }, b: { subscription_count: 1 } },
    });
    expect(await alice.next('e')).toMatchObject({ channel: 'a', data: '{"ü":[1]}' });
    await client().trigger('b', 'e', 'a text');
    expect(await bob.next('e')).toMatchObject({ data: 'a text' });
  });

  it('triggers a batch', async () => {
    const alice = await connect();
    await alice.subscribe('a');
    const batch = [1, 2, 3].map((n) => ({ channel: 'a', name: 'e', data: { n }, info: 'subscription_count' }));
    expect(await client().triggerBatch(batch)).toEqual({ batch: batch.map(() => ({ subscription_count: 1 })) });
    for (const { data } of batch) expect(await alice.next('e')).toMatchObject({ data: JSON.stringify(data) });
  });

  it('triggers once with an idempotency-key', async () => {
    const headers = { 'idempotency-key': 'order 7 has left' };
    for (let i = 0; i < 2; i++) await client().trigger('kept', 'e', 'once', { headers });
    expect((await client().get('channels/kept/events')).events).toMatchObject([{ data: 'once' }]);
  });

  it('returns channels, users and history', async () => {
    const alice = await connect();
    const room = 'presence-room';
    await alice.subscribe(room, { user_id: 'alice' });
    const prefix = { filter_by_prefix: 'presence-', info: 'user_count' };
    expect(await client().get('channels', prefix)).toEqual({ channels: { [room]: { user_count: 1 } } });
    expect(await client().get(`channels/${room}`, { info: 'user_count' })).toEqual({ occupied: true, user_count: 1 });
    expect(await client().get(`channels/${room}/users`)).toEqual({ users: [{ id: 'alice' }] });
    await client().trigger('kept', 'e', 'last');
    const { events, position } = await client().get('channels/kept/events', { limit: 1000 });
    expect(events.at(-1)).toEqual({ position, name: 'e', data: 'last' });
    expect(await client().get('channels/kept/events', { after: position })).toMatchObject({ events: [] });
  });

  it('authorizes clients, sends events to users and terminates their connections', async () => {
    const alice = await connect();
    const id = 'alice/ü ?';
    const signin = await client().authenticateUser(alice.socketId, { id });
    alice.send({ event: 'pusher:signin', data: signin });
    await alice.next('pusher:signin_success');
    const channel = 'private-orders';
    alice.send({
      event: 'pusher:subscribe',
      data: { channel, ...(await client().authorizeChannel(alice.socketId, channel)) },
    });
    await alice.next('pusher_internal:subscription_succeeded');
    alice.send({ event: 'pusher:subscribe', data: { channel: `#server-to-user-${id}` } });
    await alice.next('pusher_internal:subscription_succeeded');
    await client().sendToUser(id, 'e', 'for you');
    expect(await alice.next('e')).toMatchObject({ data: 'for you' });
    expect(await client().terminateUserConnections(id)).toEqual({});
    await until(() => alice.closed?.code === 4009, 'the connection is closed');
  });

  it.each([
    [{ secret: 'wrong' }, 'orders', 401, 'Invalid signature'],
    [{}, 'orders!', 400, 'Invalid channel'],
  ])("throws the server's refusal: %j", async (options, channel, status, body) => {
    const failed: unknown = await client(options)
      .trigger(channel, 'e', 1)
      .catch((error: unknown) => error);
    expect(failed).toBeInstanceOf(RequestFailed);
    expect(failed).toMatchObject({ name: 'RequestFailed', status, body: expect.stringContaining(body) });
    expect((failed as RequestFailed).headers.get('content-type')).toContain('text/plain');
  });

  it('aborts after its timeout, or by its signal', async () => {
    const silent = createServer(() => {}).listen(0, '127.0.0.1');
    await once(silent, 'listening');
    const url = `http://127.0.0.1:${(silent.address() as AddressInfo).port}`;
    await expect(client({ url, timeoutMs: 20 }).get('channels')).rejects.toMatchObject({ name: 'TimeoutError' });
    const stop = new AbortController();
    const call = client({ url }).get('channels', {}, { signal: stop.signal });
    stop.abort();
    await expect(call).rejects.toMatchObject({ name: 'AbortError' });
    silent.closeAllConnections();
    silent.close();
  });
});

it.each(['.', '..'])('a name that URLs drop is refused before anything is sent: %s', async (name) => {
  const sent: string[] = [];
  const fetch = async (url: string) => {
    sent.push(url);
    return new Response('{}');
  };
  const url = 'https://push.example.com/prefix';
  const [channels, beams] = [
    channelsClient({ ...credentials, url, fetch }),
    beamsClient({ instanceId: 'i', secretKey: 's', url, fetch }),
  ];
  for (const call of [() => channels.terminateUserConnections(name), () => beams.deleteUser(name)])
    await expect(call()).rejects.toThrow(`Invalid: ${name}`);
  await channels.terminateUserConnections('...');
  expect(sent).toHaveLength(1);
});

describe('beamsClient', () => {
  let app: Awaited<ReturnType<typeof startPublishApp>>;
  beforeAll(async () => void (app = await startPublishApp()));
  afterAll(() => app.close());

  const { id: instanceId, secretKey } = instance;
  const client = (key = secretKey) => beamsClient({ url: app.url, instanceId, secretKey: key });
  const devices = `/device_api/v1/instances/${instanceId}/devices/fcm`;
  const sent = () => app.gateways.fcm.sent;

  it('makes the same token as the official library, and the server accepts it', async () => {
    const { token } = await client().deviceToken('ünal');
    const claims = (text: string) => text.split('.').map((part) => Buffer.from(part, 'base64url').toString());
    const theirs = claims(new PushNotifications({ instanceId, secretKey }).generateToken('ünal').token);
    const [head, body] = claims(token);
    expect(JSON.parse(head!)).toEqual(JSON.parse(theirs[0]!));
    const { iat, exp, ...rest } = JSON.parse(body!);
    const { iat: _iat, exp: _exp, ...theirRest } = JSON.parse(theirs[1]!);
    expect(rest).toEqual(theirRest);
    expect(exp - iat).toBe(_exp - _iat);
    const device = await app.registered();
    const headers = { authorization: `Bearer ${token}` };
    expect(await app.call('PUT', `${devices}/${device}/user`, { headers })).toMatchObject({ status: 200 });
    expect((await app.call('GET', `${devices}/${device}`)).json).toMatchObject({ userId: 'ünal' });
  });

  it('publishes to interests and users, and deletes a user', async () => {
    const first = await app.registered(['hello']);
    const publish = { fcm: { notification: { title: 'Hello' } } };
    const { publishId } = await client().publishToInterests(['hello'], publish);
    await until(async () => (await app.status(publishId)).state === 'finished', 'it is finished');
    const device = await app.registered();
    const { token } = await client().deviceToken('bob/ü');
    await app.call('PUT', `${devices}/${device}/user`, { headers: { authorization: `Bearer ${token}` } });
    const options = { headers: { 'idempotency-key': 'once' } };
    const published = await client().publishToUsers(['bob/ü'], publish, options);
    expect(await client().publishToUsers(['bob/ü'], publish, options)).toEqual(published);
    await until(() => sent().includes(device), 'it is sent');
    expect(sent()).toEqual([first, device]);
    const combined = await client().publishToInterests(['hello'], { ...publish, allOf: ['hello'], noneOf: ['muted'] });
    await until(
      async () => (await app.status(combined.publishId)).state === 'finished',
      'the combined one is finished',
    );
    expect(sent()).toEqual([first, device, first]);
    await client().deleteUser('bob/ü');
    expect(await app.call('GET', `${devices}/${device}`)).toMatchObject({ status: 404 });
  });

  it("throws the server's refusal", async () => {
    await expect(client('wrong').publishToInterests(['hello'], { fcm: {} })).rejects.toMatchObject({
      status: 401,
      body: expect.stringContaining('Unauthorized'),
    });
  });
});

describe('with only fetch and WebCrypto', () => {
  it('is one small ES module without dependencies: under 4 kB minified', async () => {
    const { code, bytes } = await bundled('server');
    expect(code).toContain('auth_signature');
    expect(bytes).toBeLessThan(4000);
  });

  it('signs, calls and makes tokens', async () => {
    const { code } = await bundled('server', 'iife');
    const urls: string[] = [];
    const fetch = async (url: string) => {
      urls.push(url);
      return new Response('{"publishId":"7"}');
    };
    const web = { AbortSignal, atob, btoa, crypto, fetch, TextEncoder, URL, URLSearchParams };
    const context = createContext({ ...web, credentials, instance });
    runInContext(code, context);
    const answers: unknown = await runInContext(
      `(async () => {
        const channels = rookery.channelsClient({ ...credentials, url: 'https://a.example' });
        const beams = rookery.beamsClient({ url: 'https://b.example', instanceId: instance.id, secretKey: instance.secretKey });
        await channels.trigger('orders', 'e', 1);
        return JSON.stringify([
          await channels.authorizeChannel('1.2', 'private-encrypted-a'),
          await beams.publishToInterests(['hello'], { fcm: {} }),
          (await beams.deviceToken('alice')).token.length > 100,
        ]);
      })()`,
      context,
    );
    const expected = [official.authorizeChannel('1.2', 'private-encrypted-a'), { publishId: '7' }, true];
    expect(JSON.parse(answers as string)).toEqual(expected);
    expect(urls.map((url) => new URL(url).host)).toEqual(['a.example', 'b.example']);
  });
});
