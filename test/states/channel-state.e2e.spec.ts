import { Injectable, Logger, NotFoundException } from '@nestjs/common';
import { randomUUID } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import {
  type App,
  ChannelsMetrics,
  ChannelState,
  ConnectionsService,
  EventsService,
  type StateRequest,
} from 'rookery/channels';
import { state } from 'rookery/client';
import { SimulatedTransport, type ToClient } from '../../libs/testing/src/simulation/simulated-transport.js';
import type { Wire } from '../../libs/testing/src/simulation/wire.js';
import { startHost } from '../support/channels-host.js';
import { testApp } from '../support/channels-server.js';
import { Link, LinkedBroker } from '../support/linked.broker.js';
import { joined, PusherJs } from '../support/pusher-js.js';
import { SocketClient } from '../support/socket-client.js';
import { until } from '../support/until.js';

/** The shop's orders, and how it reads them. */
@Injectable()
class Orders {
  private orders: string[] = [];
  reads: StateRequest[] = [];
  /** Until it resolves, each read waits, having read or not. */
  before: Promise<unknown> = Promise.resolve();
  after: Promise<unknown> = Promise.resolve();

  constructor(private readonly events: EventsService) {}

  @ChannelState('orders.{shop}')
  @ChannelState('private-orders.{shop}')
  @ChannelState('presence-orders.{shop}')
  async list(request: StateRequest): Promise<readonly string[]> {
    this.reads.push(request);
    const { before, after } = this;
    await before;
    const orders = [...this.orders];
    await after;
    return orders;
  }

  @ChannelState('orders-of-nobody.{kind}')
  fails({ params: { kind } }: StateRequest): unknown {
    switch (kind) {
      case 'hangs':
        return new Promise(() => {});
      case 'unknown':
        throw new NotFoundException('There is no such shop');
      case 'large':
        return 'x'.repeat(300_000);
      case 'nothing':
        return undefined;
      default:
        throw new Error('The database is away');
    }
  }

  /** Changes first, and triggers then. */
  async add(order: string, channel = 'orders.7'): Promise<void> {
    this.orders.push(order);
    await this.events.trigger(testApp.id, { name: 'added', channel, data: order });
  }

  reset(): void {
    this.orders = [];
    this.reads = [];
    this.before = this.after = Promise.resolve();
  }
}

const link = new Link();
let broker: LinkedBroker;
let host: Awaited<ReturnType<typeof startHost>>;
let orders: Orders;
const clients: { disconnect(): void }[] = [];

beforeAll(async () => {
  broker = new LinkedBroker(link);
  const history = [{ channels: 'private-orders.kept' }];
  host = await startHost('Fastify', [Orders], () => {}, {
    apps: [{ ...testApp, clientEvents: true, history }],
    broker: { useValue: broker },
    states: { shareMs: 60_000 },
  });
  orders = host.app.get(Orders);
});
afterAll(() => host.close());
beforeEach(() => orders.reset());
afterEach(() => {
  for (const client of clients.splice(0)) client.disconnect();
  vi.restoreAllMocks();
});

/** Stock pusher-js. */
function connect(wsPath?: string, wsPort = host.port): PusherJs {
  const client = new PusherJs(testApp.key, {
    cluster: '',
    wsHost: '127.0.0.1',
    wsPort,
    ...(wsPath && { wsPath }),
    forceTLS: false,
    enabledTransports: ['ws'],
    channelAuthorization: {
      endpoint: '',
      transport: 'ajax',
      customHandler: ({ socketId, channelName }, answer) =>
        answer(null, host.pusher.authorizeChannel(socketId, channelName, { user_id: randomUUID() })),
    },
  });
  clients.push(client);
  return client;
}

/** A page that shows the orders, as the guide says. */
function page(client = connect(), name = 'orders.7') {
  const shown: string[][] = [];
  const heard: string[] = [];
  const channel = client.subscribe(name);
  channel.bind_global((event: string) => {
    if (!event.startsWith('pusher')) heard.push(event);
  });
  channel.bind('rookery:state', ({ state }: { state: string[] }) => shown.push(state));
  // An order may be in the state already.
  channel.bind('added', (order: string) => shown.push([...new Set([...shown.at(-1)!, order])]));
  const shows = (...all: string[]) => until(() => shown.at(-1)?.join() === all.join(), `the page shows ${all.join()}`);
  return { client, channel, shown, heard, shows };
}

/** A connection whose transport is not a socket: thousands of them are open in a moment. */
async function openWithoutSocket() {
  const connections = host.app.get(ConnectionsService);
  const heard: string[] = [];
  const hear = (message: ToClient) => void (message.kind === 'texts' && heard.push(...message.texts));
  const transport = new SimulatedTransport({ send: hear } as Wire<ToClient>, () => 0);
  const request = { headers: {}, socket: {} } as IncomingMessage;
  const asked = { key: testApp.key, session: undefined, protocol: 7, refusal: undefined };
  const app = (await connections.check(asked, request)) as App;
  transport.attach(connections.open(app, asked, transport, request));
  return {
    heard,
    say: (frame: object) => transport.take({ kind: 'text', text: JSON.stringify(frame) }),
    leave: () => transport.take({ kind: 'end' }),
  };
}

const gate = () => {
  let open = (): void => {};
  return { closed: new Promise<void>((resolve) => void (open = resolve)), open: () => open() };
};

describe('the state of a channel', () => {
  it('comes to stock pusher-js directly after the confirmation, then what follows', async () => {
    await orders.add('bread');
    const alice = page();
    await alice.shows('bread');
    await orders.add('cake');
    await alice.shows('bread', 'cake');
    expect(alice.heard).toEqual(['rookery:state', 'added']);
    expect(orders.reads).toEqual([{ appId: testApp.id, channel: 'orders.7', params: { shop: '7' } }]);
  });

  it('lacks no change of a burst that goes on while it is read, whether it contains the change or not', async () => {
    for (const which of ['before', 'after'] as const) {
      orders.reset();
      const { closed, open } = gate();
      orders[which] = closed;
      const alice = page();
      await until(() => orders.reads.length === 1, 'the state is being read');
      for (let number = 1; number <= 50; number++) await orders.add(`order ${number}`);
      open();
      for (let number = 51; number <= 100; number++) await orders.add(`order ${number}`);
      const all = Array.from({ length: 100 }, (_, i) => `order ${i + 1}`);
      await alice.shows(...all);
      expect(alice.shown[0]).toEqual(which === 'before' ? all.slice(0, alice.shown[0]!.length) : []);
      alice.client.disconnect();
      await until(
        async () => !(await (await host.pusher.get({ path: '/channels' })).text()).includes('orders.7'),
        'nobody is there',
      );
    }
  });

  it('is without the events that it contains, when these came before it was read', async () => {
    const { closed, open } = gate();
    orders.before = closed;
    const alice = page();
    await until(() => orders.reads.length === 1, 'the first state is being read');
    await orders.add('bread');
    // Bob's messages are held from now on; his state is read when the first read has ended.
    const bob = await SocketClient.connect(host.port);
    const { messages } = host.app.get(ChannelsMetrics);
    const before = messages['pusher:subscribe'];
    bob.sendSubscribe('orders.7');
    await until(() => messages['pusher:subscribe'] > before, 'Bob is about to join');
    await orders.add('cake');
    open();
    expect((await bob.next('rookery:state')).data).toBe('{"state":["bread","cake"]}');
    await alice.shows('bread', 'cake');
    expect(alice.heard).toEqual(['rookery:state', 'added', 'added']);
    expect(await bob.settled('added')).toEqual([]);
    expect(orders.reads).toHaveLength(2);
    bob.close();
  });

  it('is read once for a storm of clients that come back, and again only after an event', async () => {
    await orders.add('bread');
    const first = page();
    await first.shows('bread');
    orders.reads = [];
    const storm = await Promise.all(Array.from({ length: 300 }, () => SocketClient.connect(host.port)));
    for (const client of storm) client.sendSubscribe('orders.7');
    for (const client of storm) expect((await client.next('rookery:state')).data).toBe('{"state":["bread"]}');
    expect(orders.reads).toEqual([]);
    await orders.add('cake');
    const late = page();
    await late.shows('bread', 'cake');
    expect(orders.reads).toHaveLength(1);
    for (const client of storm) client.close();
  });

  it('costs one read when 10,000 clients come back at once', async () => {
    await orders.add('bread');
    const storm = await Promise.all(Array.from({ length: 10_000 }, openWithoutSocket));
    orders.reads = [];
    for (const { say } of storm) say({ event: 'pusher:subscribe', data: { channel: 'orders.7' } });
    await until(() => storm.every(({ heard }) => heard.length === 3), 'all have the state', 60_000);
    const expected = ['pusher_internal:subscription_succeeded', 'rookery:state'];
    expect(storm.every(({ heard }) => heard.slice(1).every((text, i) => text.includes(expected[i]!)))).toBe(true);
    expect(storm.every(({ heard }) => heard[2]!.includes('bread'))).toBe(true);
    expect(orders.reads).toHaveLength(1);
    for (const { leave } of storm) leave();
  });

  it('comes again after messages were lost on their way to the process', async () => {
    const alice = page();
    await alice.shows();
    // The event of this change is lost.
    await orders.add('bread', 'elsewhere');
    broker.lose({ appId: testApp.id, channel: 'orders.7' });
    await alice.shows('bread');
    await orders.add('cake');
    await alice.shows('bread', 'cake');
    expect(alice.heard).toEqual(['rookery:state', 'rookery:state', 'added']);
  });

  it('takes the place of replays and gaps for a client with a session', async () => {
    const name = 'private-orders.kept';
    const alice = page(connect(`/session/${randomUUID()}`), name);
    await alice.shows();
    await orders.add('bread', name);
    await alice.shows('bread');
    alice.client.disconnect();
    await orders.add('cake', name);
    await orders.add('pie', name);
    alice.client.connect();
    await alice.shows('bread', 'cake', 'pie');
    expect(alice.shown.at(-1)).toEqual(['bread', 'cake', 'pie']);
    await orders.add('tart', name);
    await alice.shows('bread', 'cake', 'pie', 'tart');
    expect(alice.heard).toEqual(['rookery:state', 'added', 'rookery:state', 'added']);
  });

  it('gives a session an event that was held while the state was read', async () => {
    const { closed, open } = gate();
    orders.after = closed;
    const alice = page(connect(`/session/${randomUUID()}`), 'private-orders.kept');
    await until(() => orders.reads.length === 1, 'the state is being read');
    await orders.add('bread', 'private-orders.kept');
    open();
    await alice.shows('bread');
    expect(alice.heard).toEqual(['rookery:state', 'added']);
  });

  it('comes with the members of a presence channel, whose changes need no new read', async () => {
    await orders.add('bread');
    const alice = page(connect(), 'presence-orders.7');
    await alice.shows('bread');
    const bob = page(connect(), 'presence-orders.7');
    await bob.shows('bread');
    expect(orders.reads).toHaveLength(1);
  });

  it('comes in pieces, as streams do, when it is larger than an event', async () => {
    for (let number = 0; number < 3000; number++) orders['orders'].push(`order ${number} “£”`);
    const client = await SocketClient.connect(host.port);
    client.sendSubscribe('orders.7');
    await until(() => client.frames.some(({ data }) => String(data).includes('"end":"done"')), 'the last piece comes');
    const pieces = client.frames
      .filter(({ event }) => event === 'rookery:state')
      .map(({ data }) => ({ bytes: Buffer.byteLength(data as string), ...JSON.parse(data as string) }));
    expect(pieces.length).toBeGreaterThan(5);
    expect(pieces.every(({ bytes }) => bytes <= 10_240)).toBe(true);
    expect(JSON.parse(pieces.map(({ text }) => text as string).join(''))).toEqual(orders['orders']);
    client.close();
  });
});

describe('the state that rookery/client keeps up to date', () => {
  const added = (all: readonly string[], order: string): readonly string[] => [...new Set([...all, order])];

  it('shows the state, each change of it, and a fresh one after a reconnect', async () => {
    await orders.add('bread');
    const client = connect();
    const live = state<readonly string[]>(client.subscribe('orders.7'), { added });
    const shown: (readonly string[])[] = [];
    const end = live.subscribe((all) => shown.push(all));
    expect(live.current).toBeUndefined();
    await until(() => shown.length === 1, 'the state has come');
    await orders.add('cake');
    await until(() => shown.length === 2, 'the change has come');
    client.disconnect();
    await orders.add('pie');
    client.connect();
    await until(() => shown.length === 3, 'a fresh state has come');
    expect(shown).toEqual([['bread'], ['bread', 'cake'], ['bread', 'cake', 'pie']]);
    const late: unknown[] = [];
    live.subscribe((all) => late.push(all));
    expect(late).toEqual([live.current]);
    end();
    await orders.add('tart');
    await until(() => late.length === 2, 'the others still hear of changes');
    expect(shown).toHaveLength(3);
  });

  it('puts together a state that is larger than an event', async () => {
    for (let number = 0; number < 3000; number++) orders['orders'].push(`order ${number} “£”`);
    const live = state<readonly string[]>(connect().subscribe('orders.7'), { added });
    await until(() => live.current !== undefined, 'the state has come');
    expect(live.current).toEqual(orders['orders']);
    await orders.add('the last');
    await until(() => live.current?.length === 3001, 'the change has come');
  });
});

describe('a state that cannot be read', () => {
  let strict: typeof host;
  beforeAll(async () => {
    strict = await startHost('Fastify', [Orders], () => {}, { states: { timeoutMs: 1500, bytes: 200_000 } });
  });
  afterAll(() => strict.close());

  const refusalOf = async (kind: string): Promise<unknown> =>
    joined(connect(undefined, strict.port), `orders-of-nobody.${kind}`).then(
      () => 'confirmed',
      (error: unknown) => error,
    );
  const cannot = (kind: string) => ({
    type: 'Error',
    error: `The state of orders-of-nobody.${kind} cannot be read`,
    status: 503,
  });

  it('refuses the subscription, and is logged once for all who waited for it', async () => {
    const logged = vi.spyOn(Logger.prototype, 'error').mockReturnValue();
    expect(await Promise.all(['fails', 'fails', 'fails'].map(refusalOf))).toEqual(Array(3).fill(cannot('fails')));
    expect(logged.mock.calls.length).toBeLessThanOrEqual(3);
    expect(logged.mock.calls[0]![0]).toMatch(
      /^Orders\.fails did not read the state of orders-of-nobody\.fails \(app .*\): Error: The database is away/,
    );
  });

  it('refuses it with the message of an HTTP exception', async () => {
    expect(await refusalOf('unknown')).toEqual({ type: 'Error', error: 'There is no such shop', status: 404 });
  });

  it('refuses it when the method does not answer in time, or too much', async () => {
    const logged = vi.spyOn(Logger.prototype, 'error').mockReturnValue();
    expect(await refusalOf('hangs')).toEqual(cannot('hangs'));
    expect(await refusalOf('large')).toEqual(cannot('large'));
    expect(logged.mock.calls.map(([text]) => String(text).split('\n')[0])).toEqual([
      expect.stringContaining('not done within 1500 ms'),
      expect.stringContaining('it has 300002 bytes, more than states.bytes (200000)'),
    ]);
  });

  it('is null when the method returns nothing', async () => {
    const client = await SocketClient.connect(strict.port);
    client.sendSubscribe('orders-of-nobody.nothing');
    expect((await client.next('rookery:state')).data).toBe('{"state":null}');
    client.close();
  });
});

describe('a method that reads a state', () => {
  const start = (Provider: new () => object) =>
    startHost('Fastify', [Provider], () => {}).then(
      ({ close }) => close(),
      (error: unknown) => (error as Error).message,
    );

  it.each([
    [
      'cache-news',
      "ChannelsModule: @ChannelState('cache-news') of Wrong.read is for cache channels, which keep their last event",
    ],
    ['private-encrypted-a', 'is for encrypted channels, which only clients can read'],
    ['orders {id}', 'has a character that channel names cannot have'],
  ])('may not be for %s', async (pattern, message) => {
    class Wrong {
      @ChannelState(pattern)
      read(): string {
        return '';
      }
    }
    expect(await start(Wrong)).toContain(message);
  });

  it('may not share channels with another', async () => {
    class Both {
      @ChannelState('orders.{id}')
      one(): string {
        return '';
      }
      @ChannelState('{kind}.7')
      other(): string {
        return '';
      }
    }
    expect(await start(Both)).toBe(
      "ChannelsModule: a channel could match both @ChannelState('orders.{id}') of Both.one and @ChannelState('{kind}.7') of Both.other",
    );
  });
});
