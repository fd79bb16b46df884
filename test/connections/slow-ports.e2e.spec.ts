import { afterEach, describe, expect, it } from 'vitest';
import {
  type AppConfig,
  Broker,
  InProcessBroker,
  MemoryChannelRepository,
  MemorySessionRepository,
  OpenConnections,
} from 'rookery/internal/channels';
import { MemoryPresenceRepository } from 'rookery/presence';
import { awkward, gate } from '../support/awkward.js';
import { overSocket, signed } from '../support/channels-api.js';
import { type ChannelsServer, startChannels, testApp } from '../support/channels-server.js';
import { RawClient, upgradeRequest } from '../support/raw-client.js';
import { SocketClient } from '../support/socket-client.js';
import { until } from '../support/until.js';

const closing: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0)) await close();
});

async function start(app: AppConfig = testApp) {
  const repository = awkward(new MemoryChannelRepository());
  const ledger = awkward(new MemoryPresenceRepository());
  const broker = awkward<Broker>(new InProcessBroker());
  const options = { apps: [app], channelRepository: repository, broker, limits: { queuedBytes: 40_000 } };
  const server = await startChannels(options, undefined, { presenceRepository: ledger });
  closing.push(server.close);
  return { server, repository, ledger, broker };
}

const trigger = (server: ChannelsServer, channel: string, data: string, name = 'news') =>
  overSocket(server, signed('POST', '/events', { name, channel, data }));

const heard = (client: SocketClient, channel: string): (readonly [string, unknown])[] =>
  client.frames.filter((frame) => frame.channel === channel).map(({ event, data }) => [event, data]);

it('a client that waits to be counted is accepted already, and greeted once it is counted', async () => {
  const { server, repository } = await start();
  const counted = gate();
  repository.around.admit = counted.around;
  const client = await RawClient.open(server.port);
  client.write(upgradeRequest(`/app/${testApp.key}?protocol=7`));
  await counted.reached;
  await until(() => client.received.includes('\r\n\r\n'), 'it is accepted');
  expect(String(client.received)).toMatch(/^HTTP\/1\.1 101 [^]*\r\n\r\n$/);
  counted.open();
  await until(() => client.received.includes('"pusher:connection_established"'), 'it is greeted');
  client.socket.destroy();
});

it('a member that joins during another subscribe is in its roster or announced to it', async () => {
  const { server, ledger } = await start();
  const [alice, bob] = [await SocketClient.connect(server.port), await SocketClient.connect(server.port)];
  const roster = gate();
  ledger.around.roster = roster.around;
  alice.sendSubscribe('presence-room', { user_id: 'alice' });
  await roster.reached;
  delete ledger.around.roster;
  // The roster of a later member is read after the one that is being read.
  bob.sendSubscribe('presence-room', { user_id: 'bob' });
  const room = { scope: testApp.id, name: 'presence-room' };
  await until(async () => (await ledger.roster(room)).members.length === 2, 'Bob has joined');

  roster.open();
  expect(await alice.next('pusher_internal:subscription_succeeded')).toMatchObject({
    data: expect.stringContaining('"ids":["alice"]') as unknown,
  });
  expect(await alice.next('pusher_internal:member_added')).toMatchObject({ data: '{"user_id":"bob"}' });
});

it('events published during a subscribe arrive after its confirmation, in order', async () => {
  const { server, repository } = await start();
  const [alice, bob] = [await SocketClient.connect(server.port), await SocketClient.connect(server.port)];
  await bob.subscribe('news');
  const counted = gate();
  repository.around.occupy = counted.around;
  alice.sendSubscribe('news');
  await counted.reached;
  for (const data of ['1', '2']) await trigger(server, 'news', data);
  await bob.next('news');

  counted.open();
  await alice.next('pusher_internal:subscription_succeeded');
  await trigger(server, 'news', '3');
  for (const data of ['1', '2', '3']) expect((await alice.next('news')).data).toBe(data);
});

it('pieces of a stream that are published during a subscribe arrive once, as all that was said', async () => {
  const { server, repository } = await start({ ...testApp, history: [{ channels: 'chat', streams: true }] });
  const alice = await SocketClient.connect(server.port);
  const counted = gate();
  repository.around.occupy = counted.around;
  alice.sendSubscribe('chat');
  await counted.reached;
  const say = (piece: object) => trigger(server, 'chat', JSON.stringify({ stream: '7', ...piece }), 'answer');
  await say({ at: 0, text: 'To be' });
  await say({ at: 5, text: ', or not' });
  await say({ at: 0, text: 'To be, or not', end: 'done' });

  counted.open();
  await alice.next('pusher_internal:subscription_succeeded');
  await trigger(server, 'chat', 'last');
  await alice.next('news');
  const pieces = alice.frames.filter(({ event }) => event === 'answer').map(({ data }) => JSON.parse(data as string));
  expect(pieces).toEqual([{ stream: '7', at: 0, text: 'To be, or not', end: 'done' }]);
});

it('a cached event that is published while it is read arrives once, after the confirmation', async () => {
  const { server, repository } = await start();
  const alice = await SocketClient.connect(server.port);
  const confirmed = gate();
  repository.around.occupy = confirmed.around;
  alice.sendSubscribe('cache-news');
  await confirmed.reached;
  await trigger(server, 'cache-news', 'fresh');

  confirmed.open();
  await alice.settled('news');
  expect(heard(alice, 'cache-news')).toEqual([
    ['pusher_internal:subscription_succeeded', '{}'],
    ['news', 'fresh'],
  ]);
});

it('an older cached event arrives before events published while it was read', async () => {
  const { server, broker } = await start();
  await trigger(server, 'cache-news', 'old');
  const alice = await SocketClient.connect(server.port);
  const read = gate();
  broker.around.recall = read.around;
  alice.sendSubscribe('cache-news');
  await read.reached;
  await trigger(server, 'cache-news', 'fresh');

  read.open();
  await alice.settled('news');
  expect(heard(alice, 'cache-news').map(([, data]) => data)).toEqual(['{}', 'old', 'fresh']);
});

it('a client that waits too long on a busy channel is closed with 4100 instead of buffering without bound', async () => {
  const { server, repository } = await start();
  const [alice, bob] = [await SocketClient.connect(server.port), await SocketClient.connect(server.port)];
  await bob.subscribe('news');
  const counted = gate();
  repository.around.occupy = counted.around;
  alice.sendSubscribe('news');
  await counted.reached;
  for (let n = 0; n < 5; n++) await trigger(server, 'news', 'x'.repeat(10_000));

  expect(await alice.closing()).toMatchObject({ code: 4100 });
  counted.open();
  await bob.subscribe('other');
  expect(await bob.settled('news')).toHaveLength(5);
});

describe('an event during the subscribe of a client with a session', () => {
  const session = 'a-session-of-alice';

  async function begin(slow: 'save' | 'history') {
    const kept = { ...testApp, history: [{ channels: 'orders' }] };
    const sessions = awkward(new MemorySessionRepository());
    const broker = awkward<Broker>(new InProcessBroker());
    const server = await startChannels({ apps: [kept], sessionRepository: sessions, broker });
    closing.push(server.close);
    const connect = () => SocketClient.connect(server.port, testApp, session);
    const alice = await connect();
    const { reached, around, open } = gate();
    if (slow === 'save') sessions.around.save = around;
    // It is read only then.
    else
      broker.around.history = async (answer) => {
        await around(() => undefined);
        return answer();
      };
    alice.sendSubscribe('orders');
    await reached;
    await trigger(server, 'orders', '1');
    delete broker.around.history;
    open();
    await alice.next('pusher_internal:subscription_succeeded');
    await trigger(server, 'orders', '2');
    return { server, alice, connect };
  }

  const cameTo = async (client: SocketClient): Promise<unknown[]> => {
    await client.settled('news');
    return client.frames.filter(({ event }) => event === 'news').map(({ data }) => data);
  };

  it('arrives at once, not in a later replay after the events that followed it', async () => {
    const { alice, connect } = await begin('save');
    expect(await cameTo(alice)).toEqual(['1', '2']);
    alice.socket.terminate();
    const again = await connect();
    await again.subscribe('orders');
    expect(await cameTo(again)).toEqual(['1', '2']);
  });

  it('does not arrive if it precedes what later replays contain', async () => {
    const { alice, connect } = await begin('history');
    expect(await cameTo(alice)).toEqual(['2']);
    alice.socket.terminate();
    const again = await connect();
    await again.subscribe('orders');
    expect(await cameTo(again)).toEqual(['2']);
  });
});

it('a client that left before it was counted does not take the session from its next connection', async () => {
  const repository = awkward(new MemoryChannelRepository());
  const kept = { ...testApp, history: [{ channels: 'orders' }] };
  const server = await startChannels({ apps: [kept], channelRepository: repository });
  closing.push(server.close);
  const session = 'a-session-of-alice';
  const counted = gate();
  repository.around.admit = counted.around;
  const left = await SocketClient.open(server.port, testApp, undefined, `/session/${session}`);
  await counted.reached;
  delete repository.around.admit;
  const alice = await SocketClient.connect(server.port, testApp, session);
  left.socket.terminate();
  await until(() => server.app.get(OpenConnections).figures().connections === 1, 'the server knows that it left');
  const dismissed = gate();
  repository.around.dismiss = dismissed.around;
  counted.open();
  await dismissed.reached;
  dismissed.open();

  await alice.subscribe('orders');
  alice.socket.terminate();
  await until(() => server.app.get(OpenConnections).figures().connections === 0, 'the server knows that Alice left');
  await trigger(server, 'orders', 'missed');
  const again = await SocketClient.connect(server.port, testApp, session);
  await again.subscribe('orders');
  expect(await again.next('news')).toMatchObject({ data: 'missed', replayed: true });
});

it.each(['before', 'after'] as const)(
  'a client that left while its session was opened does not take it from a connection that subscribes %s',
  async (when) => {
    const sessions = awkward(new MemorySessionRepository());
    const kept = { ...testApp, history: [{ channels: 'orders' }] };
    const server = await startChannels({ apps: [kept], sessionRepository: sessions });
    closing.push(server.close);
    const session = 'a-session-of-alice';
    const count = () => server.app.get(OpenConnections).figures().connections;
    const late = gate();
    const opened = gate();
    // It reaches the store late.
    sessions.around.open = async (answer) => {
      await late.around(() => undefined);
      return opened.around(answer);
    };
    const left = await SocketClient.open(server.port, testApp, undefined, `/session/${session}`);
    await late.reached;
    delete sessions.around.open;
    const alice = await SocketClient.connect(server.port, testApp, session);
    if (when === 'before') await alice.subscribe('orders');
    late.open();
    await opened.reached;
    opened.open();
    left.socket.terminate();
    await until(() => count() === 1, 'the server knows that it left');

    if (when === 'after') await alice.subscribe('orders');
    alice.socket.terminate();
    await until(() => count() === 0, 'the server knows that Alice left');
    await trigger(server, 'orders', 'missed');
    const again = await SocketClient.connect(server.port, testApp, session);
    await again.subscribe('orders');
    expect(await again.next('news')).toMatchObject({ data: 'missed', replayed: true });
  },
);

it('a returning client that cannot be sent what it missed is closed after its confirmation, and comes back for it', async () => {
  const kept = { ...testApp, history: [{ channels: 'orders' }] };
  const broker = awkward<Broker>(new InProcessBroker());
  const server = await startChannels({ apps: [kept], broker });
  closing.push(server.close);
  const connect = () => SocketClient.connect(server.port, testApp, 'a-session-of-alice');
  const alice = await connect();
  await alice.subscribe('orders');
  alice.socket.terminate();
  await until(() => server.app.get(OpenConnections).figures().connections === 0, 'the server knows that Alice left');
  await trigger(server, 'orders', 'missed');

  broker.around.history = () => {
    throw new Error('the history is away');
  };
  const unlucky = await connect();
  await unlucky.subscribe('orders');
  expect(await unlucky.closing()).toMatchObject({ code: 4100 });
  expect(unlucky.frames.map(({ event }) => event)).not.toContain('pusher:subscription_error');

  delete broker.around.history;
  const again = await connect();
  await again.subscribe('orders');
  expect(await again.next('news')).toMatchObject({ data: 'missed', replayed: true });
});
