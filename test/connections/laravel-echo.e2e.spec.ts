import Echo from 'laravel-echo';
import PusherServer from 'pusher';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { startAuthEndpoint } from '../support/auth-endpoint.js';
import { type ChannelsServer, startChannels, testApp } from '../support/channels-server.js';
import { PusherJs } from '../support/pusher-js.js';
import { until } from '../support/until.js';

type EchoClient = Echo<'pusher'>;

let server: ChannelsServer;
let auth: Awaited<ReturnType<typeof startAuthEndpoint>>;
let pusher: PusherServer;
const clients: EchoClient[] = [];

beforeAll(async () => {
  server = await startChannels({ apps: [{ ...testApp, clientEvents: true }] });
  const options = { appId: testApp.id, ...testApp, host: '127.0.0.1', port: String(server.port), useTLS: false };
  const encryptionMasterKeyBase64 = Buffer.alloc(32, 7).toString('base64');
  pusher = new PusherServer({ ...options, encryptionMasterKeyBase64 });
  auth = await startAuthEndpoint(pusher, new PusherServer({ ...options, secret: 'forged' }));
});
afterEach(() => {
  for (const client of clients.splice(0)) client.disconnect();
});
afterAll(async () => {
  auth.close();
  await server.close();
});

/** Echo as a Laravel application sets it up for `reverb` or `pusher`. */
async function connect(name: string, broadcaster = 'pusher' as const): Promise<EchoClient> {
  const client = new Echo({
    broadcaster,
    key: testApp.key,
    cluster: 'mt1',
    wsHost: '127.0.0.1',
    wsPort: server.port,
    forceTLS: false,
    enabledTransports: ['ws', 'wss'],
    authEndpoint: auth.url,
    auth: { headers: { Authorization: `Bearer ${name}` } },
    Pusher: PusherJs,
  });
  clients.push(client);
  await until(() => client.socketId() !== undefined, 'Echo is connected');
  return client;
}

type Subscribable = { subscribed(callback: () => void): unknown };
const joined = <Channel extends Subscribable>(channel: Channel): Promise<Channel> =>
  new Promise((resolve) => channel.subscribed(() => resolve(channel)));

/** Collects what callbacks are given. */
function heard(): { readonly all: unknown[]; readonly add: (value: unknown) => void } {
  const all: unknown[] = [];
  return { all, add: (value) => void all.push(value) };
}

describe.each(['pusher', 'reverb'])('Echo with the broadcaster %s', (name) => {
  // Their options are the same; the types tell them apart.
  const broadcaster = name as 'pusher';

  it('gets the events of public channels, by class name and by any name', async () => {
    const channel = (await connect('alice', broadcaster)).channel('orders');
    const [shipped, cancelled] = [heard(), heard()];
    channel.listen('OrderShipped', shipped.add).listen('.order.cancelled', cancelled.add);
    await joined(channel);
    await pusher.trigger('orders', 'App\\Events\\OrderShipped', { id: 1 });
    await pusher.trigger('orders', 'order.cancelled', { id: 2 });
    await until(() => cancelled.all.length > 0, 'the events arrive');
    expect([shipped.all, cancelled.all]).toEqual([[{ id: 1 }], [{ id: 2 }]]);
  });

  it('gets the events and notifications of private channels', async () => {
    const channel = (await connect('alice', broadcaster)).private('users.1');
    const [events, notifications] = [heard(), heard()];
    channel.listen('Paid', events.add).notification(notifications.add);
    await joined(channel);
    await pusher.trigger('private-users.1', 'App\\Events\\Paid', { amount: 3 });
    const created = 'Illuminate\\Notifications\\Events\\BroadcastNotificationCreated';
    await pusher.trigger('private-users.1', created, { type: 'invoice' });
    await until(() => notifications.all.length > 0, 'the notification arrives');
    expect([events.all, notifications.all]).toEqual([[{ amount: 3 }], [{ type: 'invoice' }]]);
  });

  it('gets encrypted events', async () => {
    const channel = (await connect('alice', broadcaster)).encryptedPrivate('safe');
    const events = heard();
    channel.listen('.opened', events.add);
    await joined(channel);
    await pusher.trigger('private-encrypted-safe', 'opened', { code: 'ünïcödé' });
    await until(() => events.all.length > 0, 'the event arrives');
    expect(events.all).toEqual([{ code: 'ünïcödé' }]);
  });

  it('sees present, joining and leaving members', async () => {
    const [here, joining, leaving] = [heard(), heard(), heard()];
    const room = (await connect('alice', broadcaster)).join('room');
    room.here(here.add).joining(joining.add).leaving(leaving.add);
    await until(() => here.all.length > 0, 'Alice sees who is here');
    const bob = await connect('bob', broadcaster);
    const seenByBob = heard();
    bob.join('room').here(seenByBob.add);
    await until(() => joining.all.length > 0 && seenByBob.all.length > 0, 'Bob is joining');
    bob.leave('room');
    await until(() => leaving.all.length > 0, 'Bob is leaving');
    expect(here.all).toEqual([[{ name: 'alice' }]]);
    expect(joining.all).toEqual([{ name: 'bob' }]);
    expect(seenByBob.all).toEqual([[{ name: 'alice' }, { name: 'bob' }]]);
    expect(leaving.all).toEqual([{ name: 'bob' }]);
  });

  it('sees a user once, and leaving only with the last window', async () => {
    const [joining, leaving] = [heard(), heard()];
    const room = (await connect('alice', broadcaster)).join('windows').joining(joining.add).leaving(leaving.add);
    await joined(room);
    const windows = [await connect('bob', broadcaster), await connect('bob', broadcaster)];
    for (const window of windows) await joined(window.join('windows'));
    windows[0]?.disconnect();
    windows[1]?.disconnect();
    await until(() => leaving.all.length > 0, 'Bob is leaving');
    expect([joining.all, leaving.all]).toEqual([[{ name: 'bob' }], [{ name: 'bob' }]]);
  });

  it('whispers to the others on private and presence channels', async () => {
    const [alice, bob] = [await connect('alice', broadcaster), await connect('bob', broadcaster)];
    for (const open of [(echo: EchoClient) => echo.private('chat'), (echo: EchoClient) => echo.join('chat')]) {
      const [byAlice, byBob] = [heard(), heard()];
      const mine = await joined(open(alice).listenForWhisper('typing', byAlice.add));
      await joined(open(bob).listenForWhisper('typing', byBob.add));
      mine.whisper('typing', { name: 'alice' });
      await until(() => byBob.all.length > 0, 'the whisper arrives');
      expect(byBob.all[0]).toEqual({ name: 'alice' });
      expect(byAlice.all).toEqual([]);
    }
  });

  it('gets refusals through the error callback', async () => {
    const errors = heard();
    (await connect('alice', broadcaster)).private('top-secret').error(errors.add);
    await until(() => errors.all.length > 0, 'the error arrives');
    expect(errors.all).toEqual([expect.objectContaining({ type: 'AuthError', status: 403 })]);
  });

  it.each(['private', 'join'] as const)(
    'gets refusals of the server through the error callback of %s',
    async (open) => {
      const errors = heard();
      const alice = await connect('alice', broadcaster);
      const channel: { error(callback: (error: unknown) => void): unknown } = alice[open]('forged');
      channel.error(errors.add);
      await until(() => errors.all.length > 0, 'the error arrives');
      const error = expect.stringMatching(/^Invalid signature: Expected HMAC SHA256 hex digest of /) as string;
      expect(errors.all).toEqual([{ type: 'AuthError', error, status: 401 }]);
    },
  );

  it('broadcasts to others: not to the socket that Echo names', async () => {
    const [alice, bob] = [await connect('alice', broadcaster), await connect('bob', broadcaster)];
    const [byAlice, byBob] = [heard(), heard()];
    for (const [echo, { add }] of [[alice, byAlice] as const, [bob, byBob] as const])
      await joined(echo.channel('board').listen('.moved', add));
    await pusher.trigger('board', 'moved', { step: 1 }, { socket_id: alice.socketId() });
    await pusher.trigger('board', 'moved', { step: 2 });
    await until(() => byAlice.all.length > 0, 'the second arrives');
    expect([byAlice.all, byBob.all]).toEqual([[{ step: 2 }], [{ step: 1 }, { step: 2 }]]);
  });

  it('gets nothing on a channel that it left', async () => {
    const alice = await connect('alice', broadcaster);
    const [left, kept] = [heard(), heard()];
    await joined(alice.channel('left').listen('.event', left.add));
    await joined(alice.channel('kept').listen('.event', kept.add));
    alice.leave('left');
    // It is told first on one channel and then on the other: what had come would have come by then.
    await joined(alice.channel('later'));
    await pusher.trigger(['left', 'kept'], 'event', {});
    await until(() => kept.all.length > 0, 'the event arrives');
    expect(left.all).toEqual([]);
  });
});
