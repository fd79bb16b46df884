import Echo from 'laravel-echo';
import PusherServer from 'pusher';
import type { Options } from 'pusher-js';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { StreamsService } from 'rookery/channels';
import {
  batchedAuthorization,
  newSessionId,
  sharedPusher,
  socketAuthorization,
  streamed,
  type SharedPusher,
} from '@rookery/client';
import { type ChannelsServer, startChannels, testApp } from '../support/channels-server.js';
import { joined, PusherJs } from '../support/pusher-js.js';
import { LocksInProcess } from '../support/tab-locks.js';
import { until } from '../support/until.js';

let server: ChannelsServer;
let pusher: PusherServer;
let locks: LocksInProcess;
/** Tokens given out: channel names, and `user` for the user's. */
const tokens: string[] = [];
const tabs: { disconnect(): void }[] = [];
let name = '';

beforeAll(async () => {
  server = await startChannels({
    apps: [
      { ...testApp, clientEvents: true, subscriptionCount: true, history: [{ channels: 'answers', streams: true }] },
    ],
  });
  const encryptionMasterKeyBase64 = Buffer.alloc(32, 7).toString('base64');
  const at = { host: '127.0.0.1', port: String(server.port), useTLS: false };
  pusher = new PusherServer({ appId: testApp.id, ...testApp, ...at, encryptionMasterKeyBase64 });
});
beforeEach(() => {
  locks = new LocksInProcess();
  vi.stubGlobal('navigator', { locks });
  vi.stubGlobal('document', { visibilityState: 'hidden', addEventListener() {} });
  // Tests share a process, and may not share a connection.
  name = newSessionId();
});
afterEach(async () => {
  for (const tab of tabs.splice(0)) tab.disconnect();
  vi.unstubAllGlobals();
  tokens.length = 0;
  await until(async () => (await connections()) === 0, 'all are gone');
});
afterAll(() => server.close());

const user = { id: 'alice', user_info: { name: 'Alice' } };
const options = () => ({
  cluster: '',
  wsHost: '127.0.0.1',
  wsPort: server.port,
  forceTLS: false,
  enabledTransports: ['ws' as const],
  channelAuthorization: {
    customHandler: ({ socketId, channelName }: any, callback: any) => {
      tokens.push(channelName);
      if (channelName.endsWith('secret')) {
        callback(new Error('Forbidden'), null);
        return;
      }
      const { user_info } = user;
      callback(null, pusher.authorizeChannel(socketId, channelName, { user_id: user.id, user_info }));
    },
  },
  userAuthentication: {
    customHandler: ({ socketId }: any, callback: any) => {
      tokens.push('user');
      callback(null, pusher.authenticateUser(socketId, { ...user, watchlist: ['bob'] }));
    },
  },
});

function open(): SharedPusher {
  const tab = sharedPusher(testApp.key, options(), { Pusher: PusherJs, name });
  tabs.push(tab);
  return tab;
}
/** A visitor with a browser of their own. */
function visitor(as: string): PusherJs {
  const channelAuthorization = {
    customHandler: ({ socketId, channelName }: any, callback: any) =>
      callback(null, pusher.authorizeChannel(socketId, channelName, { user_id: as })),
  };
  const userAuthentication = {
    customHandler: ({ socketId }: any, callback: any) => callback(null, pusher.authenticateUser(socketId, { id: as })),
  };
  const client = new PusherJs(testApp.key, { ...options(), channelAuthorization, userAuthentication });
  tabs.push(client);
  return client;
}

const get = async (path: string, params = {}): Promise<any> => (await pusher.get({ path, params })).json();
const connections = async (): Promise<number> => (await get('/connections')).connections;
const channels = async (): Promise<string[]> => Object.keys((await get('/channels')).channels).toSorted();

/** What comes of an event. */
function heard(emitter: { bind(event: string, callback: (...args: any[]) => unknown): unknown }, event: string): any[] {
  const all: unknown[] = [];
  emitter.bind(event, (...args) => all.push(args.length > 1 ? args : args[0]));
  return all;
}
const subscribed = async (all: readonly { readonly subscribed: boolean }[]): Promise<void> =>
  until(() => all.every((each) => each.subscribed), 'all are subscribed');

describe('five tabs', () => {
  it('have one connection, one member and one token for each channel, and hear each event once', async () => {
    const five = Array.from({ length: 5 }, open);
    const rooms = five.map((tab) => tab.subscribe('presence-room'));
    const orders = five.map((tab) => tab.subscribe('private-orders'));
    const events = orders.map((channel) => heard(channel, 'shipped'));
    await subscribed([...rooms, ...orders]);
    expect(await connections()).toBe(1);
    expect((await get('/channels/presence-room/users')).users).toEqual([{ id: 'alice' }]);
    const counted = await get('/channels/private-orders', { info: 'subscription_count' });
    expect(counted.subscription_count).toBe(1);
    expect(tokens.toSorted()).toEqual(['presence-room', 'private-orders']);
    expect(new Set(five.map((tab) => tab.connection.socket_id)).size).toBe(1);
    for (const room of rooms) {
      expect(room.members).toMatchObject({ count: 1, me: { id: 'alice', info: { name: 'Alice' } } });
    }
    await pusher.trigger('private-orders', 'shipped', { id: 7 });
    await pusher.trigger('private-orders', 'shipped', { id: 8 });
    await until(() => events.every((each) => each.length === 2), 'all have heard both');
    expect(events).toEqual(
      Array.from({ length: 5 }, () => [
        [{ id: 7 }, {}],
        [{ id: 8 }, {}],
      ]),
    );
  });

  it('leave a channel with the last of them, also with one that crashes', async () => {
    const [first, second, third] = [open(), open(), open()];
    await subscribed([first.subscribe('a'), second.subscribe('a'), second.subscribe('b'), third.subscribe('c')]);
    first.unsubscribe('a');
    second.unsubscribe('b');
    await until(async () => (await channels()).join() === 'a,c', 'b has gone');
    second.disconnect();
    await until(async () => (await channels()).join() === 'c', 'a has gone');
    const held = locks.names.filter((each) => each.split(':').length === 4);
    expect(held).toHaveLength(2);
    locks.crash(held.at(-1)!);
    await until(async () => (await channels()).length === 0, 'c has gone');
    expect(await connections()).toBe(1);
    first.disconnect();
    await until(async () => (await connections()) === 0, 'the connection has gone');
    first.connect();
    await until(() => first.connection.state === 'connected', 'it is back');
  });
});

describe('a late tab', () => {
  it('is subscribed at once, with the members of now', async () => {
    const early = await joined(open() as any, 'presence-room');
    const bob = visitor('bob');
    await joined(bob, 'presence-room');
    await until(() => early.members.count === 2, 'Bob has come');
    const late = await joined(open() as any, 'presence-room');
    expect(late.members.get('bob')).toEqual({ id: 'bob', info: undefined });
    expect(late.members).toMatchObject({ count: 2, me: { id: 'alice', info: { name: 'Alice' } } });
    const left = heard(late, 'pusher:member_removed');
    bob.unsubscribe('presence-room');
    await until(() => left.length > 0, 'Bob has left');
    expect([left[0].id, late.members.count]).toEqual(['bob', 1]);
    expect(tokens).toEqual(['presence-room']);
  });

  it('gets the last event of a cache channel, or the miss', async () => {
    const [early, late] = [open(), open()];
    await joined(early as any, 'cache-full');
    await joined(early as any, 'cache-empty');
    const first = heard(early.channel('cache-full')!, 'score');
    await pusher.trigger('cache-full', 'score', '1:0');
    await until(() => first.length > 0, 'the first tab has it');
    const [full, miss] = [
      heard(late.subscribe('cache-full'), 'score'),
      heard(late.subscribe('cache-empty'), 'pusher:cache_miss'),
    ];
    await until(() => full.length > 0 && miss.length > 0, 'both have come');
    expect([first, full]).toEqual([[['1:0', {}]], [['1:0', {}]]]);
  });

  it('gets the number of subscriptions, and none of the events before', async () => {
    const [early, late] = [open(), open()];
    const channel = await joined(early as any, 'news');
    await until(() => channel.subscriptionCount === 1, 'it is counted');
    const events = heard(late, 'headline');
    await pusher.trigger('news', 'headline', 'before');
    const count = heard(late.subscribe('news'), 'pusher:subscription_count');
    await until(() => count.length > 0, 'the late tab knows');
    await pusher.trigger('news', 'headline', 'after');
    await until(() => events.length > 0, 'the event has come');
    expect([count[0], events]).toEqual([{ subscription_count: 1 }, ['after']]);
  });

  it('gets the text of a stream so far, and the rest', async () => {
    const texts = (tab: SharedPusher): string[] => {
      const all: string[] = [];
      streamed(tab.subscribe('answers'), 'answer', ({ text, end = '' }) => all.push(text + end));
      return all;
    };
    const [early, late] = [open(), open()];
    const first = texts(early);
    await subscribed(early.allChannels());
    const answer = await server.app.get(StreamsService).begin('answers', 'answer');
    answer.append('To be');
    await until(() => first.at(-1) === 'To be', 'the first tab has the beginning');
    const second = texts(late);
    await until(() => second.at(-1) === 'To be', 'the late tab has the beginning');
    answer.append(', or not');
    await answer.end();
    await until(() => second.at(-1)!.endsWith('done'), 'it has ended');
    expect(second.at(-1)).toBe('To be, or notdone');
    const third = texts(open());
    await until(() => third.length > 0, 'a tab after the end has the text');
    expect(third).toEqual(['To be, or notdone']);
  });

  it('hears why a channel was refused; the endpoint is asked again', async () => {
    const errors = [open(), open()].map((tab) => heard(tab.subscribe('private-secret'), 'pusher:subscription_error'));
    await until(() => errors.every((each) => each.length > 0), 'both know');
    const again = heard(open().subscribe('private-secret'), 'pusher:subscription_error');
    await until(() => again.length > 0, 'the third knows');
    expect(again).toEqual([{ type: 'AuthError', error: 'Forbidden' }]);
    expect(tokens).toEqual(['private-secret', 'private-secret']);
  });
});

it('client events reach the other tabs and the other visitors, and not their sender', async () => {
  const [sender, other] = [await joined(open() as any, 'presence-room'), await joined(open() as any, 'presence-room')];
  const bob = await joined(visitor('bob'), 'presence-room');
  const [byOther, byBob, bySender] = [other, bob, sender].map((each) => heard(each, 'client-typing'));
  expect(sender.trigger('client-typing', { on: true })).toBe(true);
  await until(() => byOther!.length > 0 && byBob!.length > 0, 'both have heard');
  expect([byOther, byBob]).toEqual([[[{ on: true }, { user_id: 'alice' }]], [[{ on: true }, { user_id: 'alice' }]]]);
  bob.trigger('client-typing', { on: false });
  await until(() => bySender!.length > 0, 'the sender hears Bob');
  expect(bySender).toEqual([[{ on: false }, { user_id: 'bob' }]]);
  expect(() => sender.trigger('typing', {})).toThrow("does not start with 'client-'");
});

it('encrypted events come decrypted, with one secret from the endpoint', async () => {
  const both = [open(), open()];
  const events = both.map((tab) => heard(tab.subscribe('private-encrypted-safe'), 'opened'));
  await subscribed(both.flatMap((tab) => tab.allChannels()));
  await pusher.trigger('private-encrypted-safe', 'opened', { code: 'é' });
  await until(() => events.every((each) => each.length > 0), 'both have it');
  expect(events).toEqual([[[{ code: 'é' }, {}]], [[{ code: 'é' }, {}]]]);
  expect(tokens).toEqual(['private-encrypted-safe']);
});

it('tabs that sign in are one user, each with its events and watchlist', async () => {
  const [first, late, guest] = [open(), open(), open()];
  const bob = visitor('bob');
  bob.signin();
  const online = heard(first.user.watchlist, 'online');
  first.signin();
  await until(() => online.length > 0, 'the first tab sees Bob');
  const lateOnline = heard(late.user.watchlist, 'online');
  late.signin();
  await until(() => lateOnline.length > 0, 'the late tab sees Bob');
  expect(lateOnline).toEqual([{ name: 'online', user_ids: ['bob'] }]);
  expect([first, late].map((tab) => tab.user.user_data?.id)).toEqual(['alice', 'alice']);
  const events = [first, late, guest].map((tab) => heard(tab.user, 'hello'));
  await pusher.sendToUser('alice', 'hello', 'Alice');
  await until(() => events[0]!.length > 0 && events[1]!.length > 0, 'both have heard');
  expect(events).toEqual([['Alice'], ['Alice'], []]);
  expect(guest.user.user_data).toBeNull();
  expect(tokens).toEqual(['user']);
  bob.disconnect();
});

it('tabs with another name have a connection of their own', async () => {
  const one = open();
  name = newSessionId();
  const two = open();
  await until(() => [one, two].every((tab) => tab.connection.state === 'connected'), 'both are connected');
  expect(one.connection.socket_id).not.toBe(two.connection.socket_id);
});

it('a lost connection looks to each tab as it does in pusher-js', async () => {
  const both = [open(), open()];
  const rooms = await Promise.all(both.map((tab) => joined(tab as any, 'presence-room')));
  const states = both.map((tab) => heard(tab.connection, 'state_change'));
  const again = rooms.map((room) => heard(room, 'pusher:subscription_succeeded'));
  both[0]!.signin();
  await until(() => Boolean(both[0]!.user.user_data), 'it is signed in');
  await pusher.post({ path: '/users/alice/reconnect', body: {} as any });
  await until(() => again.every((each) => each.length > 0), 'both are back');
  expect(states.map((each) => each.map(({ current }) => current))).toEqual([
    ['connecting', 'connected'],
    ['connecting', 'connected'],
  ]);
  expect(again[1]![0].me.id).toBe('alice');
});

it('Echo runs over it', async () => {
  const echoes = [open(), open()].map((client) => new Echo({ broadcaster: 'pusher', key: testApp.key, client }));
  const [first, second] = echoes.map(() => ({ here: [] as any[], typing: [] as any[], shipped: [] as any[] }));
  for (const [i, seen] of [first!, second!].entries()) {
    const echo = echoes[i]!;
    echo
      .join('room')
      .here((members: unknown) => seen.here.push(members))
      .listenForWhisper('typing', (data: unknown) => seen.typing.push(data));
    echo.private('orders').listen('Shipped', (data: unknown) => seen.shipped.push(data));
  }
  await until(() => first!.here.length > 0 && second!.here.length > 0, 'both are here');
  await subscribed(tabs.flatMap((tab) => (tab as SharedPusher).allChannels()));
  echoes[0]!.join('room').whisper('typing', { on: true });
  await pusher.trigger('private-orders', 'App\\Events\\Shipped', { id: 7 });
  await until(() => second!.typing.length > 0 && second!.shipped.length > 0, 'all has come');
  expect(second).toEqual({ here: [[{ name: 'Alice' }]], typing: [{ on: true }], shipped: [{ id: 7 }] });
  expect(echoes[0]!.socketId()).toMatch(/^\d+\.\d+$/);
  expect(first!.typing).toEqual([]);
  echoes[0]!.leave('room');
  echoes[1]!.leave('room');
  await until(async () => !(await channels()).includes('presence-room'), 'the room is empty');
});

it.each([
  [{ wsPath: '/ws/session/abc' }, "sharedPusher names the session itself. Write wsPath: '/ws'"],
  [
    { channelAuthorization: { headersProvider: () => ({}) } },
    'channelAuthorization.headersProvider is a function, which tabs cannot share',
  ],
  [{ authorizer: () => ({}) }, 'authorizer is a function'],
])('options that tabs cannot share are refused: %o', (refused, text) => {
  expect(() => sharedPusher(testApp.key, refused as object, { Pusher: PusherJs })).toThrow(text);
});

it('takes the options of pusher-js, written in place or as its type', () => {
  vi.unstubAllGlobals();
  const tabOf = (all: Options): SharedPusher => sharedPusher(testApp.key, all, { Pusher: PusherJs, name });
  const tab = sharedPusher(
    testApp.key,
    {
      cluster: 'eu',
      wsHost: 'realtime.example.com',
      wsPort: 443,
      forceTLS: true,
      enabledTransports: ['ws', 'wss'],
      channelAuthorization: { endpoint: '/pusher/auth', transport: 'ajax', headers: { authorization: 'Bearer' } },
      userAuthentication: {
        customHandler: ({ socketId }, callback) => callback(null, { auth: socketId, user_data: '{}' }),
      },
    },
    { Pusher: PusherJs, name },
  );
  const batched = sharedPusher(
    testApp.key,
    { cluster: '', channelAuthorization: batchedAuthorization(), userAuthentication: socketAuthorization },
    { Pusher: PusherJs, name },
  );
  expect([tab, batched, tabOf({ cluster: 'eu' })].map(({ connection }) => connection.state)).toEqual(
    Array(3).fill('initialized'),
  );
});

it('leads where there is no SharedWorker', async () => {
  const worker = vi.fn();
  const tab = sharedPusher(testApp.key, options(), { worker, Pusher: PusherJs, name });
  tabs.push(tab);
  await until(() => tab.connection.state === 'connected', 'it is connected');
  expect(worker).not.toHaveBeenCalled();
  const alone = sharedPusher(testApp.key, options(), { worker, name });
  tabs.push(alone);
  await until(() => alone.connection.state === 'connected', 'it uses the connection of the other');
});

it('connects to nothing where pages are rendered, with and without locks', async () => {
  vi.unstubAllGlobals();
  expect('document' in globalThis).toBe(false);
  for (const navigator of [{ locks }, {}]) {
    vi.stubGlobal('navigator', navigator);
    const rendered = sharedPusher(testApp.key, options(), { Pusher: PusherJs, name });
    rendered.subscribe('news').bind('e', () => {});
    rendered.signin();
    rendered.connect();
    expect(rendered.connection.state).toBe('initialized');
    expect(rendered.channel('news')?.subscribed).toBe(false);
    rendered.disconnect();
  }
  expect(locks.names).toEqual([]);
});

it('says what is missing', () => {
  expect(() => sharedPusher(testApp.key, {}, {})).toThrow('sharedPusher needs a worker or pusher-js');
  vi.stubGlobal('navigator', {});
  expect(() => sharedPusher(testApp.key, {}, { Pusher: PusherJs })).toThrow('needs HTTPS');
});
