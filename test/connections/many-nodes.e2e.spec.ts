import { afterEach, describe, expect, it, vi } from 'vitest';
import { ChannelRepository, MemoryChannelRepository, NodesService, ThisNode } from 'rookery/channels';
import { MemoryPresenceRepository, type PresenceRepository } from 'rookery/presence';
import { overSocket, signed } from '../support/channels-api.js';
import { type ChannelsServer, startChannels, testApp } from '../support/channels-server.js';
import { Link, LinkedBroker } from '../support/linked.broker.js';
import { SocketClient } from '../support/socket-client.js';
import { until } from '../support/until.js';
import { WebhookReceiver } from '../support/webhook-receiver.js';

// Two applications that share their state, as two processes would; each has its own hub and its own name.
const closing: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).toReversed()) await close();
});

interface Node {
  readonly server: ChannelsServer;
  readonly broker: LinkedBroker;
  readonly nodes: NodesService;
  readonly id: string;
  connect(): Promise<SocketClient>;
}

async function startTwo() {
  const receiver = await WebhookReceiver.start();
  closing.push(() => receiver.close());
  const link = new Link();
  const channelRepository: ChannelRepository = new MemoryChannelRepository();
  const presenceRepository = new MemoryPresenceRepository();
  const start = async (): Promise<Node> => {
    const broker = new LinkedBroker(link);
    const apps = [
      { ...testApp, maxConnections: 3, webhooks: [{ url: receiver.url('/hook') }], subscriptionCount: true },
    ];
    const options = { apps, broker, channelRepository, webhooks: { holdMs: 0 } };
    const server = await startChannels(options, undefined, { presenceRepository });
    closing.push(server.close);
    const nodes = server.app.get(NodesService);
    const { id } = server.app.get(ThisNode);
    return { server, broker, nodes, id, connect: () => SocketClient.connect(server.port) };
  };
  return { one: await start(), other: await start(), receiver, channelRepository, presenceRepository };
}

const get = async ({ server }: Node, path: string, info?: string): Promise<any> =>
  JSON.parse(
    (await overSocket(server, signed('GET', path, undefined, info === undefined ? {} : { query: { info } }))).text,
  );

describe('two processes', () => {
  it('carry events to the subscribers of both, and one roster for both', async () => {
    const { one, other } = await startTwo();
    const [alice, bob] = [await one.connect(), await other.connect()];
    await alice.subscribe('presence-room', { user_id: 'alice' });
    expect(await bob.subscribe('presence-room', { user_id: 'bob' })).toMatchObject({ presence: { count: 2 } });
    expect(await alice.next('pusher_internal:member_added')).toMatchObject({ data: '{"user_id":"bob"}' });
    await overSocket(one.server, signed('POST', '/events', { name: 'e', channel: 'presence-room', data: '1' }));
    expect((await bob.next('e')).data).toBe('1');
    expect(await get(other, '/channels/presence-room', 'subscription_count,user_count')).toEqual({
      occupied: true,
      subscription_count: 2,
      user_count: 2,
    });
  });

  it('keep a user with a connection on each present, until the last leaves', async () => {
    const { one, other } = await startTwo();
    const [phone, laptop, bob] = [await one.connect(), await other.connect(), await other.connect()];
    for (const alice of [phone, laptop]) await alice.subscribe('presence-room', { user_id: 'alice' });
    await bob.subscribe('presence-room', { user_id: 'bob' });
    phone.close();
    await phone.closing();
    const countOf = async () => (await get(one, '/channels/presence-room', 'subscription_count')).subscription_count;
    await until(async () => (await countOf()) === 2, 'the phone is off');
    expect(await bob.settled('pusher_internal:member_removed')).toEqual([]);
    laptop.close();
    expect(await bob.next('pusher_internal:member_removed')).toMatchObject({ data: '{"user_id":"alice"}' });
  });

  it('announce everything that a dead one held, once', async () => {
    const { one, other, receiver } = await startTwo();
    const [alice, bob] = [await one.connect(), await other.connect()];
    await alice.signin({ id: 'alice' });
    await bob.signin({ id: 'bob', watchlist: ['alice'] });
    await bob.next('pusher_internal:watchlist_events');
    await alice.subscribe('presence-room', { user_id: 'alice' });
    await alice.subscribe('news');
    await bob.subscribe('presence-room', { user_id: 'bob' });

    one.broker.die();
    await Promise.all([other.nodes.takeOut(one.id), other.nodes.takeOut(one.id)]);
    expect(await bob.next('pusher_internal:member_removed')).toMatchObject({ data: '{"user_id":"alice"}' });
    expect(await bob.next('pusher_internal:watchlist_events')).toMatchObject({
      data: '{"events":[{"name":"offline","user_ids":["alice"]}]}',
    });
    expect(await bob.settled('pusher_internal:member_removed')).toEqual([]);
    expect(await get(other, '/channels')).toEqual({ channels: { 'presence-room': {} } });
    const told = (name: string) => receiver.events('/hook').filter((each) => each['name'] === name);
    await until(() => told('channel_vacated').length > 0, 'the webhooks come');
    expect(told('channel_vacated')).toMatchObject([{ channel: 'news' }]);
    expect(told('member_removed')).toMatchObject([{ channel: 'presence-room', user_id: 'alice' }]);
    // Its connections do not count towards the quota of three any more.
    for (let n = 0; n < 2; n++) await other.connect();
  });

  it('announce the return of the members of a paused one, once', async () => {
    const { one, other } = await startTwo();
    const [alice, bob] = [await one.connect(), await other.connect()];
    await alice.subscribe('presence-room', { user_id: 'alice', user_info: { name: 'A' } });
    await bob.subscribe('presence-room', { user_id: 'bob' });
    await other.nodes.takeOut(one.id);
    await bob.next('pusher_internal:member_removed');

    for (let n = 0; n < 2; n++) await one.nodes.announce();
    expect(await bob.next('pusher_internal:member_added')).toMatchObject({
      data: '{"user_id":"alice","user_info":{"name":"A"}}',
    });
    expect(await bob.settled('pusher_internal:member_added')).toEqual([]);
    expect(await get(other, '/channels/presence-room/users')).toEqual({ users: [{ id: 'bob' }, { id: 'alice' }] });
    expect(await get(other, '/channels/presence-room', 'subscription_count')).toMatchObject({
      subscription_count: 2,
    });
    alice.close();
    expect(await bob.next('pusher_internal:member_removed')).toMatchObject({ data: '{"user_id":"alice"}' });
  });

  it("announce nothing for processes that re-announce in time what was lost, and the others' entries", async () => {
    const { one, other, presenceRepository, channelRepository } = await startTwo();
    const [alice, bob] = [await one.connect(), await other.connect()];
    await alice.subscribe('presence-room', { user_id: 'alice' });
    await bob.subscribe('presence-room', { user_id: 'bob' });
    const forget = async () => {
      await presenceRepository.takeOut(one.id, 'nobody');
      await channelRepository.takeOut(one.id, 'nobody');
    };
    await forget();
    await one.nodes.announce({ silentUntil: performance.now() + 60_000 });
    expect(await bob.settled('pusher_internal:member_added')).toEqual([]);

    await forget();
    // The others read a roster without her.
    const carol = await other.connect();
    expect(await carol.subscribe('presence-room', { user_id: 'carol' })).toMatchObject({ presence: { count: 2 } });
    const silentUntil = performance.now() + 50;
    const announce: PresenceRepository['announce'] = presenceRepository.announce.bind(presenceRepository);
    vi.spyOn<PresenceRepository, 'announce'>(presenceRepository, 'announce').mockImplementationOnce(async (...said) => {
      await until(() => performance.now() > silentUntil, 'it is late');
      return announce(...said);
    });
    await one.nodes.announce({ silentUntil });
    expect(await carol.next('pusher_internal:member_added')).toMatchObject({ data: '{"user_id":"alice"}' });
    // He has never heard that she was away.
    await bob.next('pusher_internal:member_added');
    expect(await bob.settled('pusher_internal:member_added')).toEqual([]);
  });

  it('tell clients of members that a roster lacked, once shared state has them again', async () => {
    const { one, other, presenceRepository } = await startTwo();
    const [alice, bob] = [await one.connect(), await other.connect()];
    await alice.subscribe('presence-room', { user_id: 'alice' });
    await presenceRepository.takeOut(one.id, 'nobody');
    expect(await bob.subscribe('presence-room', { user_id: 'bob' })).toMatchObject({ presence: { ids: ['bob'] } });
    await one.nodes.announce({ silentUntil: performance.now() + 60_000 });
    await other.nodes.announceMissed();
    expect(await bob.settled('pusher_internal:member_added')).toEqual([]);
    other.nodes.recheckAll();
    await other.nodes.announceMissed();
    expect(await bob.next('pusher_internal:member_added')).toMatchObject({ data: '{"user_id":"alice"}' });
    await other.nodes.announceMissed();
    expect(await bob.settled('pusher_internal:member_added')).toEqual([]);
  });

  it('send a channel its count again after lost messages', async () => {
    const { one, channelRepository } = await startTwo();
    const alice = await one.connect();
    await alice.subscribe('news');
    expect((await alice.next('pusher_internal:subscription_count')).data).toBe('{"subscription_count":1}');
    await channelRepository.occupy(testApp.id, 'news', 'elsewhere', 2);
    one.broker.lose({ appId: testApp.id, channel: 'news' });
    await one.nodes.announceMissed();
    expect((await alice.next('pusher_internal:subscription_count')).data).toBe('{"subscription_count":3}');
    // What was announced before and comes late is known to be older.
    const text = JSON.stringify({ event: 'pusher_internal:subscription_count', channel: 'news', data: '{"late":1}' });
    const change = { userId: '', isPresent: true, version: 2 };
    one.broker.publish({ kind: 'event', appId: testApp.id, channel: 'news', text, change });
    expect(await alice.settled('pusher_internal:subscription_count')).toEqual([]);
  });
});
