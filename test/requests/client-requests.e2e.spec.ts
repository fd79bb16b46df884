import Echo from 'laravel-echo';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { newSessionId, request, RequestFailed, sharedPusher } from '@rookery/client';
import { MemoryIdempotencyKeys } from 'rookery/channels';
import { Link, LinkedBroker } from '../support/linked.broker.js';
import { joined, PusherJs } from '../support/pusher-js.js';
import { pusherJsVersions } from '../support/pusher-js-versions.js';
import { RoughProxy } from '../support/rough-proxy.js';
import { LocksInProcess } from '../support/tab-locks.js';
import { testApp } from '../support/test-app.js';
import { until } from '../support/until.js';
import { type Games, startGames } from './game-host.js';

/** As Redis or PostgreSQL. */
class SharedKeys extends MemoryIdempotencyKeys {
  override readonly outlivesProcesses = true;
}

type Host = Awaited<ReturnType<typeof startGames>>;
const channel = 'presence-game.7';
const hosts: Host[] = [];
let first: Host;
let second: Host;
let target = 0;
let proxy: RoughProxy;

/** Two processes that share their state, and a bad network before them. */
beforeAll(async () => {
  const [link, keys] = [new Link(), new SharedKeys()];
  const apps = [{ ...testApp, history: [{ channels: 'presence-*' }] }];
  for (let n = 0; n < 2; n++)
    hosts.push(
      await startGames({
        apps,
        broker: { useValue: new LinkedBroker(link) },
        idempotencyKeys: { useValue: keys },
        requests: { timeoutMs: 5000 },
      }),
    );
  [first, second] = hosts as [Host, Host];
  proxy = await RoughProxy.start(() => hosts[target]!.port);
});
afterEach(() => {
  for (const host of hosts) {
    host.disconnect();
    Object.assign(host.games(), { moves: [], waits: 0, gate: Promise.resolve() });
  }
  target = 0;
});
afterAll(async () => {
  proxy.stop();
  await Promise.all(hosts.map((host) => host.close()));
});

const games = (): Games => first.games();
const failure = (asked: Promise<unknown>): Promise<RequestFailed> =>
  asked.then(
    (reply) => Promise.reject(new Error(`a reply came: ${String(reply)}`)),
    (error: RequestFailed) => error,
  );

describe.each(pusherJsVersions)('request() of @rookery/client, with pusher-js %s', (_, Pusher) => {
  const connect = (more: object = {}): PusherJs => first.connect('alice', Pusher, more);

  it('gets the reply of a channel, and of the client itself', async () => {
    const pusher = connect();
    const game = pusher.subscribe('presence-game.7');
    const reply = await request(game, 'move', { field: 4 }, { timeoutMs: 5000 });
    const same = await request(pusher, 'echo', 'hello');
    expect([reply, same]).toEqual([{ moves: 1 }, 'hello']);
  });

  it('works with Laravel Echo', async () => {
    const echo = new Echo({ broadcaster: 'pusher', client: connect() } as never);
    expect(await request((echo as any).join('game.7').subscription, 'move', { field: 4 })).toEqual({ moves: 1 });
  });

  it.each(['xhr_streaming', 'xhr_polling'] as const)('works over %s, where WebSockets are broken', async (name) => {
    const alice = connect({ enabledTransports: [name] });
    const game = alice.subscribe(channel);
    expect(await request(game, 'move', { field: 4 })).toEqual({ moves: 1 });
    expect(await failure(request(game, 'move', { field: 4 }))).toMatchObject({ reason: 'refused', status: 409 });
    expect(await request(alice, 'book', 30_000)).toBe('ä'.repeat(30_000));
  });

  it('puts together a reply in pieces', async () => {
    expect(await request(connect(), 'book', 30_000)).toBe('ä'.repeat(30_000));
  });

  it('fails with the status of the server', async () => {
    const alice = connect();
    const game = await joined(alice, channel);
    await request(game, 'move', { field: 4 });
    expect(await failure(request(game, 'move', { field: 4 }))).toMatchObject({
      name: 'RequestFailed',
      reason: 'refused',
      status: 409,
      message: 'This field is taken',
    });
    expect(await failure(request(alice, 'nope'))).toMatchObject({ reason: 'refused', status: 404 });
  });

  it('fails when no reply comes in time, and when it is aborted', async () => {
    games().gate = new Promise(() => {});
    const alice = connect();
    expect(await failure(request(alice, 'wait', null, { timeoutMs: 50 }))).toMatchObject({
      reason: 'timeout',
      status: 0,
    });
    const abort = new AbortController();
    const asked = request(alice, 'wait', null, { signal: abort.signal });
    abort.abort(new Error('the page was left'));
    await expect(asked).rejects.toThrow('the page was left');
    await expect(request(alice, 'wait', null, { signal: abort.signal })).rejects.toThrow('the page was left');
  });
});

describe.each(pusherJsVersions)('a connection of pusher-js %s that is lost before the reply', (_, Pusher) => {
  const through = (session?: string): PusherJs =>
    first.connect('alice', Pusher, { wsPort: proxy.port, ...(session && { wsPath: `/session/${session}` }) });

  const waits = (): number => hosts.reduce((sum, host) => sum + host.games().waits, 0);

  /** Asks for what waits at a gate, and loses the connection once both have begun. */
  async function askAndCut(client: PusherJs) {
    let open = (): void => {};
    games().gate = new Promise<void>((resolve) => (open = resolve));
    const asked = request(client, 'wait');
    asked.catch(() => {});
    await until(() => waits() === 1, 'the method was called');
    const { socket_id: lost } = client.connection;
    proxy.be('cut');
    const back = (): Promise<void> =>
      until(() => ![lost, null].includes(client.connection.socket_id), 'the client is back');
    return { asked, open, back };
  }

  it('leaves open whether it was carried out, without a session', async () => {
    const { asked, open } = await askAndCut(through());
    expect(await failure(asked)).toMatchObject({ reason: 'unknown', status: 504 });
    open();
    expect(waits()).toBe(1);
  });

  it('gets the reply of the one time that it was carried out, with a session', async () => {
    const client = through(newSessionId());
    const { asked, open, back } = await askAndCut(client);
    await back();
    open();
    expect(await asked).toBe('done');
    expect(waits()).toBe(1);
  });

  it('gets it from another process, too', async () => {
    const client = through(newSessionId());
    const { asked, open, back } = await askAndCut(client);
    target = 1;
    await back();
    open();
    expect(await asked).toBe('done');
    expect(waits()).toBe(1);
  });

  it('is asked again on its channel what never arrived, and carries it out once', async () => {
    const client = through(newSessionId());
    const game = await joined(client, channel);
    proxy.swallow();
    const asked = request(game, 'move', { field: 4 });
    target = 1;
    proxy.be('cut');
    expect(await asked).toEqual({ moves: 1 });
    expect([first, second].map((host) => host.games().moves.length)).toEqual([0, 1]);
  });

  it('is told that nothing is known by a process that may have forgotten it', async () => {
    const alone = await startGames({ apps: [{ ...testApp, history: [{ channels: 'presence-*' }] }] });
    const rough = await RoughProxy.start(() => alone.port);
    const client = alone.connect('alice', Pusher, { wsPort: rough.port, wsPath: `/session/${newSessionId()}` });
    const game = await joined(client, channel);
    rough.swallow();
    const asked = request(game, 'move', { field: 4 });
    rough.be('cut');
    expect(await failure(asked)).toMatchObject({ reason: 'unknown' });
    expect(alone.games().moves).toEqual([]);
    alone.disconnect();
    rough.stop();
    await alone.close();
  });
});

describe('tabs that share a connection', () => {
  const tabs: ReturnType<typeof open>[] = [];
  const open = (name: string) =>
    sharedPusher(
      testApp.key,
      { cluster: '', wsHost: '127.0.0.1', wsPort: first.port, forceTLS: false, enabledTransports: ['ws'] },
      { Pusher: PusherJs, name },
    );
  const openTwo = () => {
    vi.stubGlobal('navigator', { locks: new LocksInProcess() });
    vi.stubGlobal('document', { visibilityState: 'hidden', addEventListener() {} });
    const name = newSessionId();
    tabs.push(open(name), open(name));
    return tabs as [ReturnType<typeof open>, ReturnType<typeof open>];
  };
  afterEach(() => {
    for (const tab of tabs.splice(0)) tab.disconnect();
    vi.unstubAllGlobals();
  });

  it('each get the replies to what they asked', async () => {
    const asked = openTwo().flatMap((tab, n) => [request(tab, 'echo', n), request(tab, 'echo', n + 10)]);
    expect(await Promise.all(asked)).toEqual([0, 10, 1, 11]);
  });

  it('get a reply that the next leading tab asks for again', async () => {
    const [leading, other] = openTwo();
    await request(leading, 'echo');
    let reply = (): void => {};
    games().gate = new Promise<void>((resolve) => (reply = resolve));
    const asked = request(other, 'wait');
    await until(() => games().waits === 1, 'the method was called');
    leading.disconnect();
    reply();
    expect(await asked).toBe('done');
    expect(games().waits).toBe(1);
  });
});
