import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import { type AppConfig, Apps } from 'rookery/channels';
import { overSocket, signed } from '../support/channels-api.js';
import { type ChannelsServer, startChannels, testApp } from '../support/channels-server.js';
import { SocketClient } from '../support/socket-client.js';
import { WebhookReceiver } from '../support/webhook-receiver.js';

const other = { id: 'other', key: 'other-key', secret: 'other-secret' };
let receiver: WebhookReceiver;
let server: ChannelsServer;
const clients: SocketClient[] = [];

beforeAll(async () => {
  receiver = await WebhookReceiver.start();
  server = await startChannels({ apps: [testApp, other], webhooks: { holdMs: 50 } });
});
afterEach(() => {
  for (const client of clients.splice(0)) client.close();
  serve(testApp);
});
afterAll(async () => {
  await server.close();
  await receiver.close();
});

/** Changes the app that the clients are on, as the file or the database would. */
const serve = (...apps: AppConfig[]): void => server.app.get(Apps).configured!.replace([...apps, other]);

async function connect(app = testApp): Promise<SocketClient> {
  const client = await SocketClient.connect(server.port, app);
  clients.push(client);
  return client;
}

const trigger = (app = testApp) =>
  overSocket(server, signed('POST', '/events', { name: 'e', channels: ['news'], data: 'd' }, { app }));

it('closes the clients of a disabled app with 4003, and answers its requests 403', async () => {
  const [alice, bob] = [await connect(), await connect(other)];
  serve({ ...testApp, enabled: false });
  expect(await alice.closing()).toEqual({ code: 4003, reason: 'Application is disabled' });
  expect(await trigger()).toMatchObject({ status: 403 });
  const late = await SocketClient.open(server.port);
  expect(await late.closing()).toMatchObject({ code: 4003 });
  await bob.subscribe('news');
  serve(testApp);
  expect(await trigger()).toMatchObject({ status: 200 });
  await connect();
});

it('closes the clients of a removed app with 4001, and refuses its key', async () => {
  const alice = await connect();
  serve();
  expect(await alice.closing()).toEqual({ code: 4001, reason: 'Application was removed' });
  expect(await trigger()).toMatchObject({ status: 401, text: expect.stringContaining('Unknown auth_key') as string });
});

it('allows and disallows client events on open connections', async () => {
  const [alice, bob] = [await connect(), await connect()];
  for (const each of [alice, bob]) await each.subscribe('private-room');
  const say = () => alice.send({ event: 'client-hi', channel: 'private-room', data: {} });
  say();
  expect(await alice.next('pusher:error')).toMatchObject({
    data: { message: expect.stringMatching(/must enable this feature/) },
  });
  serve({ ...testApp, clientEvents: true });
  say();
  await bob.next('client-hi');
  serve(testApp);
  say();
  await alice.next('pusher:error');
});

it('applies the current limit of client events', async () => {
  serve({ ...testApp, clientEvents: true, limits: { clientEventsPerSecond: 1 } });
  const [alice, bob] = [await connect(), await connect()];
  for (const each of [alice, bob]) await each.subscribe('private-room');
  const say = () => alice.send({ event: 'client-hi', channel: 'private-room', data: {} });
  say();
  say();
  expect(await alice.next('pusher:error')).toMatchObject({ data: { code: 4301 } });
  serve({ ...testApp, clientEvents: true, limits: { clientEventsPerSecond: 100 } });
  for (let n = 0; n < 20; n++) say();
  expect(await alice.settled('pusher:error')).toEqual([]);
  for (let n = 0; n < 21; n++) await bob.next('client-hi');
});

it('refuses tokens of a key that was removed, also on connections that it opened', async () => {
  const fresh = { ...testApp, key: 'fresh-key', secret: 'fresh-secret' };
  const alice = await connect();
  serve({ ...fresh, keys: [{ key: testApp.key, secret: testApp.secret }] });
  await alice.subscribe('private-a');
  serve(fresh);
  alice.sendSubscribe('private-b');
  expect(await alice.next('pusher:error')).toMatchObject({
    data: { message: expect.stringMatching(/Invalid key in subscription auth data/) },
  });
  const late = await SocketClient.open(server.port);
  expect(await late.closing()).toMatchObject({ code: 4001 });
  expect((await connect(fresh)).closed).toBeUndefined();
});

it('reports to the current webhooks about channels that were already occupied', async () => {
  const alice = await connect();
  await alice.subscribe('watched');
  serve({ ...testApp, webhooks: [{ url: receiver.url('/now') }] });
  alice.send({ event: 'pusher:unsubscribe', data: { channel: 'watched' } });
  expect(await receiver.untilEvents('/now', 1)).toEqual([{ name: 'channel_vacated', channel: 'watched' }]);
});

it('keeps connections of an unchanged app', async () => {
  const alice = await connect(other);
  serve({ ...testApp, enabled: false });
  serve();
  expect(await alice.settled('pusher:error')).toEqual([]);
  expect(alice.closed).toBeUndefined();
});
