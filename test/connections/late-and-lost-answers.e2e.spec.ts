import { afterEach, describe, expect, it } from 'vitest';
import { Broker, InProcessBroker, MemoryChannelRepository } from 'rookery/channels';
import { MemoryPresenceRepository } from 'rookery/presence';
import { awkward, gate } from '../support/awkward.js';
import { overSocket, signed } from '../support/channels-api.js';
import { startChannels, testApp } from '../support/channels-server.js';
import { SocketClient } from '../support/socket-client.js';
import { until } from '../support/until.js';
import { WebhookReceiver } from '../support/webhook-receiver.js';

const closing: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).toReversed()) await close();
});

async function start() {
  const receiver = await WebhookReceiver.start();
  closing.push(() => receiver.close());
  const repository = awkward(new MemoryChannelRepository());
  const ledger = awkward(new MemoryPresenceRepository());
  const broker = awkward<Broker>(new InProcessBroker());
  const apps = [
    {
      ...testApp,
      maxConnections: 3,
      subscriptionCount: true,
      watchlist: true,
      webhooks: [{ url: receiver.url('/hook') }],
    },
  ];
  const options = { apps, channelRepository: repository, broker, webhooks: { holdMs: 0 } };
  const server = await startChannels(options, undefined, { presenceRepository: ledger });
  closing.push(server.close);
  const get = async (path: string): Promise<any> => JSON.parse((await overSocket(server, signed('GET', path))).text);
  const told = (...names: string[]) =>
    receiver
      .events('/hook')
      .filter(({ name }) => names.includes(name))
      .map(({ name }) => name as string);
  return { server, repository, ledger, broker, get, told, connect: () => SocketClient.connect(server.port) };
}

const memberEvents = (client: SocketClient): string[] =>
  client.frames.map(({ event }) => event).filter((event) => event.startsWith('pusher_internal:member_'));

/** What takes effect, but whose answer is lost, once. */
function loses(
  port: { around: Record<string, unknown> },
  method: string,
  applies: (...args: any[]) => boolean = () => true,
) {
  let isLost = false;
  port.around[method] = async (answer: () => unknown, ...args: unknown[]) => {
    const answered = await answer();
    if (isLost || !applies(...args)) return answered;
    isLost = true;
    throw new Error('the answer was lost');
  };
  return {
    get isLost() {
      return isLost;
    },
  };
}

describe('a leave with a late answer', () => {
  it('is announced before the following return', async () => {
    const { ledger, connect, told } = await start();
    const [observer, alice, again] = [await connect(), await connect(), await connect()];
    await observer.subscribe('presence-room', { user_id: 'observer' });
    await alice.subscribe('presence-room', { user_id: 'alice' });
    const left = gate();
    ledger.around.leave = left.around;
    alice.close();
    await left.reached;
    // With the same info, the observer would hear of neither change.
    again.sendSubscribe('presence-room', { user_id: 'alice', user_info: { device: 'phone' } });
    await observer.settled('pusher_internal:member_removed');
    left.open();
    await again.next('pusher_internal:subscription_succeeded');

    await until(() => memberEvents(observer).length === 3, 'the observer has heard all');
    expect(memberEvents(observer)).toEqual([
      'pusher_internal:member_added',
      'pusher_internal:member_removed',
      'pusher_internal:member_added',
    ]);
    // Nor do webhooks say last that alice is gone: she was back before it was told.
    await observer.subscribe('presence-other', { user_id: 'observer' });
    await until(() => told('member_added', 'member_removed').length === 3, 'the webhooks come');
    expect(told('member_removed')).toEqual([]);
  });

  it('is announced to watchers before the following return', async () => {
    const { ledger, connect } = await start();
    const [watcher, alice, again] = [await connect(), await connect(), await connect()];
    await alice.signin({ id: 'alice' });
    await watcher.signin({ id: 'watcher', watchlist: ['alice'] });
    await watcher.next('pusher_internal:watchlist_events');
    const left = gate();
    ledger.around.leave = left.around;
    alice.close();
    await left.reached;
    const back = again.signin({ id: 'alice' });
    await watcher.settled('pusher_internal:watchlist_events');
    left.open();
    await back;
    expect((await watcher.next('pusher_internal:watchlist_events')).data).toContain('offline');
    expect((await watcher.next('pusher_internal:watchlist_events')).data).toContain('online');
    expect(await watcher.settled('pusher_internal:watchlist_events')).toEqual([]);
  });

  it('is reported as vacated before the following occupied', async () => {
    const { repository, broker, connect, told } = await start();
    const [alice, bob] = [await connect(), await connect()];
    await alice.subscribe('news');
    const left = gate();
    repository.around.occupy = left.around;
    alice.close();
    await left.reached;
    delete repository.around.occupy;
    let isAsked = false;
    broker.around.subscribe = (answer) => ((isAsked = true), answer());
    bob.sendSubscribe('news');
    await until(() => isAsked, 'the subscribe is under way');
    left.open();
    await bob.next('pusher_internal:subscription_succeeded');
    await bob.subscribe('other');
    await until(() => told('channel_occupied', 'channel_vacated').length === 2, 'the webhooks come');
    expect(told('channel_vacated')).toEqual([]);
    bob.close();
    await until(() => told('channel_vacated').length === 2, 'both channels are vacated');
    expect(told('channel_occupied')).toHaveLength(2);
  });
});

describe('the number of subscriptions', () => {
  it('is not sent by an overtaken subscribe', async () => {
    const { broker, connect } = await start();
    const [slow, fast] = [await connect(), await connect()];
    const recalled = gate();
    broker.around.recall = recalled.around;
    slow.sendSubscribe('cache-news');
    await recalled.reached;
    delete broker.around.recall;
    await fast.subscribe('cache-news');
    expect((await fast.next('pusher_internal:subscription_count')).data).toContain('2');
    recalled.open();
    expect((await slow.next('pusher_internal:subscription_count')).data).toContain('2');
    for (const client of [slow, fast]) expect(await client.settled('pusher_internal:subscription_count')).toEqual([]);
  });
});

describe('a count of members that cannot be read', () => {
  it('does not matter to a user that signs in with a watchlist', async () => {
    const { ledger, connect } = await start();
    ledger.around.memberCounts = () => Promise.reject(new Error('the shared state is incomplete'));
    const [watcher, alice] = [await connect(), await connect()];
    await alice.signin({ id: 'alice' });
    await watcher.signin({ id: 'watcher', watchlist: ['alice', 'bob'] });
    expect((await watcher.next('pusher_internal:watchlist_events')).data).toContain('online');
  });
});

describe('a change that comes while the state of a watchlist is read', () => {
  it('is told once', async () => {
    const { ledger, connect } = await start();
    const [watcher, alice, bob] = [await connect(), await connect(), await connect()];
    const read = gate();
    ledger.around.roster = async (answer, ...args) => {
      // Alice is in what is read, and Bob comes after it.
      if ((args[0] as { readonly name: string }).name.includes('alice')) await alice.signin({ id: 'alice' });
      return read.around(answer, ...args);
    };
    const signedIn = watcher.signin({ id: 'watcher', watchlist: ['alice', 'bob'] });
    await read.reached;
    await bob.signin({ id: 'bob' });
    read.open();
    await signedIn;
    expect((await watcher.next('pusher_internal:watchlist_events')).data).toBe(
      '{"events":[{"name":"online","user_ids":["alice"]},{"name":"offline","user_ids":["bob"]}]}',
    );
    expect((await watcher.next('pusher_internal:watchlist_events')).data).toBe(
      '{"events":[{"name":"online","user_ids":["bob"]}]}',
    );
    expect(await watcher.settled('pusher_internal:watchlist_events')).toEqual([]);
  });
});

describe('an answer that is lost after the change', () => {
  it('leaves no channel occupied without connections: of a subscribe', async () => {
    const { repository, connect, get } = await start();
    const alice = await connect();
    loses(repository, 'occupy');
    alice.sendSubscribe('news');
    await alice.next('pusher:subscription_error');
    await until(async () => (await get('/channels/news')).occupied === false, 'the channel is vacated');
    await alice.subscribe('news');
    expect(await get('/channels/news')).toEqual({ occupied: true });
  });

  it('leaves no channel occupied without connections: of the last unsubscribe', async () => {
    const { repository, connect, get, told } = await start();
    const alice = await connect();
    await alice.subscribe('news');
    const answer = loses(repository, 'occupy');
    alice.close();
    await until(() => answer.isLost, 'the answer is lost');
    await until(() => told('channel_vacated').length === 1, 'the webhook comes');
    expect(await get('/channels/news')).toEqual({ occupied: false });
  });

  it('leaves no absent member present, and announces the removal', async () => {
    const { ledger, connect, get } = await start();
    const [alice, bob] = [await connect(), await connect()];
    await alice.subscribe('presence-room', { user_id: 'alice' });
    await bob.subscribe('presence-room', { user_id: 'bob' });
    loses(ledger, 'leave');
    alice.close();
    expect(await bob.next('pusher_internal:member_removed')).toMatchObject({ data: '{"user_id":"alice"}' });
    expect(await get('/channels/presence-room/users')).toEqual({ users: [{ id: 'bob' }] });
  });

  it('uses no quota for a closed connection', async () => {
    const { repository, connect, server } = await start();
    for (const method of ['admit', 'dismiss']) {
      loses(repository, method);
      const alice = await SocketClient.open(server.port);
      if (method === 'dismiss') alice.close();
      await alice.closing();
    }
    const all = [await connect(), await connect()];
    await until(() => SocketClient.isLetIn(server.port), 'a third fits');
    for (const each of all) each.close();
  });
});

describe('a broker that fails to subscribe', () => {
  it('refuses the first subscriber, and is called again for the waiting ones', async () => {
    const { broker, connect } = await start();
    const [first, second, third] = [await connect(), await connect(), await connect()];
    const asked = gate();
    let calls = 0;
    broker.around.subscribe = async (answer, ...args) => {
      if (++calls > 1) return answer();
      await asked.around(() => undefined, ...args);
      throw new Error('the broker is away');
    };
    for (const client of [first, second, third]) client.sendSubscribe('news');
    await asked.reached;
    asked.open();
    await first.next('pusher:subscription_error');
    for (const client of [second, third]) await client.next('pusher_internal:subscription_succeeded');
    expect(calls).toBe(2);
  });
});
