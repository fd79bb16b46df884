import { Logger } from '@nestjs/common';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { type AppConfig, Broker, InProcessBroker, MemoryChannelRepository } from 'rookery/channels';
import { MemoryPresenceRepository } from 'rookery/presence';
import { awkward } from '../support/awkward.js';
import { overSocket, signed } from '../support/channels-api.js';
import { startChannels, testApp } from '../support/channels-server.js';
import { SocketClient } from '../support/socket-client.js';
import { until } from '../support/until.js';

const closing: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0)) await close();
});

interface Port {
  readonly around: Record<string, unknown>;
}

/** What is tried again and again succeeds, instead of failing in the middle of another file. */
function mend(ports: readonly object[]): void {
  for (const { around } of ports as readonly Port[]) for (const method of Object.keys(around)) delete around[method];
}

async function start(settings: Partial<AppConfig> = {}) {
  const repository = awkward(new MemoryChannelRepository());
  const ledger = awkward(new MemoryPresenceRepository());
  const broker = awkward<Broker>(new InProcessBroker());
  const apps = [{ ...testApp, clientEvents: true, ...settings }];
  const options = { apps, channelRepository: repository, broker };
  const server = await startChannels(options, undefined, { presenceRepository: ledger });
  closing.push(() => (mend([repository, ledger, broker]), server.close()));
  const get = async (path: string) => (await overSocket(server, signed('GET', path))).text;
  return { server, repository, ledger, broker, get, connect: () => SocketClient.connect(server.port) };
}

const down = async (): Promise<never> => {
  await Promise.resolve();
  throw new Error('secret: database is down');
};
const internal = { code: null, message: 'Internal server error' };

describe('a subscribe during which a port fails', () => {
  it.each([
    ['the broker does not subscribe', 'broker', 'subscribe'],
    ['the member cannot join', 'ledger', 'join'],
    ['the connection cannot be counted', 'repository', 'occupy'],
    ['the roster cannot be read', 'ledger', 'roster'],
    ['the member cannot be announced', 'broker', 'publish'],
    ['the cache cannot be read', 'broker', 'recall'],
  ] as const)('is refused and leaves nothing behind: %s', async (_, name, method) => {
    const { connect, get, ...ports } = await start();
    const [alice, bob] = [await connect(), await connect()];
    const around = ports[name].around as Record<string, unknown>;
    around[method] = down;
    alice.sendSubscribe('presence-cache-room', { user_id: 'alice' });
    expect((await alice.next('pusher:error')).data).toEqual(internal);
    expect((await alice.next('pusher:subscription_error')).channel).toBe('presence-cache-room');
    expect(await alice.settled('pusher_internal:subscription_succeeded')).toEqual([]);
    delete around[method];

    expect(await get('/channels/presence-cache-room')).toBe('{"occupied":false}');
    expect(await get('/channels/presence-cache-room/users')).toBe('{"users":[]}');
    expect(await bob.subscribe('presence-cache-room', { user_id: 'bob' })).toMatchObject({ presence: { count: 1 } });
    expect(await alice.subscribe('presence-cache-room', { user_id: 'alice' })).toMatchObject({
      presence: { count: 2 },
    });
    expect(await bob.next('pusher_internal:member_added')).toMatchObject({ data: '{"user_id":"alice"}' });
  });

  it('is answered over HTTP with 500, as text and without the reason', async () => {
    const { server, repository } = await start();
    repository.around.subscriptionCounts = down;
    expect(await overSocket(server, signed('GET', '/channels/presence-room'))).toMatchObject({
      status: 500,
      text: 'Internal server error\n',
    });
  });

  it('is logged with the X-Request-Id of the answer', async () => {
    const logged = vi.spyOn(Logger.prototype, 'error').mockReturnValue();
    const { server, repository } = await start();
    repository.around.subscriptionCounts = down;
    const { headers } = await fetch(`http://127.0.0.1:${server.port}${signed('GET', '/channels/presence-room').url}`);
    expect(headers.get('x-request-id')).toMatch(/^[0-9a-f-]{36}$/);
    expect(String(logged.mock.calls[0]?.[0])).toContain(`Request ${headers.get('x-request-id')}: Error: `);
    logged.mockRestore();
  });
});

describe('a connection that ends while a port fails', () => {
  it('still leaves everything else', async () => {
    const { server, repository, ledger, broker, connect, get } = await start({ maxConnections: 2 });
    const [alice, bob] = [await connect(), await connect()];
    await alice.signin({ id: 'alice', watchlist: ['bob'] });
    for (const channel of ['presence-a', 'presence-b']) await alice.subscribe(channel, { user_id: 'alice' });
    await alice.subscribe('news');
    await bob.signin({ id: 'bob', watchlist: ['alice'] });
    await bob.next('pusher_internal:watchlist_events');
    await bob.subscribe('presence-b', { user_id: 'bob' });

    const once = (port: Port, method: string, argument: unknown): void => {
      port.around[method] = (answer: () => unknown, first: { name?: string }, second: unknown) =>
        first.name === argument || second === argument ? down() : answer();
    };
    once(ledger, 'leave', 'presence-a');
    once(repository, 'occupy', 'presence-a');
    once(broker, 'unsubscribe', '#watchers-bob');
    alice.close();

    expect(await bob.next('pusher_internal:member_removed')).toMatchObject({ channel: 'presence-b' });
    expect(await bob.next('pusher_internal:watchlist_events')).toMatchObject({
      data: '{"events":[{"name":"offline","user_ids":["alice"]}]}',
    });
    expect(JSON.parse(await get('/channels/news'))).toEqual({ occupied: false });
    await until(() => SocketClient.isLetIn(server.port), 'a connection fits again');
  });
});

describe('a connection that cannot be counted', () => {
  it('is closed with 4100, so that it returns', async () => {
    const { server, repository, connect } = await start();
    repository.around.admit = down;
    expect(await (await SocketClient.open(server.port)).closing()).toMatchObject({ code: 4100 });
    delete repository.around.admit;
    await connect();
  });

  it('is closed with 4100 even if it counts only once it is authorized', async () => {
    const { repository, connect } = await start({ authorizationTimeoutSeconds: 60 });
    const alice = await connect();
    repository.around.admit = down;
    alice.sendSubscribe('private-a');
    expect(await alice.closing()).toMatchObject({ code: 4100 });
    expect(alice.frames.map(({ event }) => event)).not.toContain('pusher:error');
  });
});

describe('signing in while a port fails', () => {
  it.each([
    ['the broker does not subscribe', 'broker', 'subscribe'],
    ['the user cannot go online', 'ledger', 'join'],
    ['the watchers cannot be told', 'broker', 'publish'],
  ] as const)('is refused, and the user does not stay online: %s', async (_, name, method) => {
    const { connect, ...ports } = await start();
    const [alice, bob] = [await connect(), await connect()];
    const around = ports[name].around as Record<string, unknown>;
    around[method] = down;
    const userData = '{"id":"alice"}';
    const auth = alice.sign(`${alice.socketId}::user::${userData}`);
    alice.send({ event: 'pusher:signin', data: { auth, user_data: userData } });
    expect((await alice.next('pusher:error')).data).toEqual(internal);
    delete around[method];
    await bob.signin({ id: 'bob', watchlist: ['alice'] });
    expect((await bob.next('pusher_internal:watchlist_events')).data).toContain('"offline"');
    await alice.signin({ id: 'alice' });
    expect((await bob.next('pusher_internal:watchlist_events')).data).toContain('"online"');
  });

  it('removes no watcher of another connection', async () => {
    const { broker, connect } = await start();
    const [watcher, failing] = [await connect(), await connect()];
    await watcher.signin({ id: 'watcher', watchlist: ['alice'] });
    await watcher.next('pusher_internal:watchlist_events');
    broker.around.subscribe = (answer, _, channel) => (channel === '#watchers-first' ? down() : answer());
    await failing.signin({ id: 'failing', watchlist: ['first', 'alice'] });
    expect((await failing.closing()).code).toBe(4100);
    await (await connect()).signin({ id: 'alice' });
    expect((await watcher.next('pusher_internal:watchlist_events')).data).toContain('"online"');
  });
});

it('a client event that the broker refuses is refused, and the next one is delivered', async () => {
  const { broker, connect } = await start();
  const [alice, bob] = [await connect(), await connect()];
  for (const client of [alice, bob]) await client.subscribe('private-a');
  broker.around.publish = down;
  alice.send({ event: 'client-x', channel: 'private-a', data: '1' });
  expect((await alice.next('pusher:error')).data).toEqual(internal);
  delete broker.around.publish;
  alice.send({ event: 'client-x', channel: 'private-a', data: '2' });
  expect((await bob.next('client-x')).data).toBe('2');
});
