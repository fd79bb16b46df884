import { randomUUID } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type App, ChannelsMetrics, ConnectionsService } from 'rookery/internal/channels';
import { SimulatedTransport, type ToClient } from '../../libs/testing/src/simulation/simulated-transport.js';
import type { Wire } from '../../libs/testing/src/simulation/wire.js';
import { testApp } from '../support/channels-server.js';
import { SocketClient } from '../support/socket-client.js';
import { until } from '../support/until.js';
import { gate, type Orders, startOrders } from './orders-host.js';

let host: Awaited<ReturnType<typeof startOrders>>;
let orders: Orders;
beforeAll(async () => {
  host = await startOrders();
  ({ orders } = host);
});
afterAll(() => host.close());
beforeEach(() => orders.reset());
afterEach(() => host.disconnect());

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

describe('the state of a channel', () => {
  it('comes to stock pusher-js directly after the confirmation, then what follows', async () => {
    await orders.add('bread');
    const alice = host.page();
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
      const alice = host.page();
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
    const alice = host.page();
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
    const first = host.page();
    await first.shows('bread');
    orders.reads = [];
    const storm = await Promise.all(Array.from({ length: 300 }, () => SocketClient.connect(host.port)));
    for (const client of storm) client.sendSubscribe('orders.7');
    for (const client of storm) expect((await client.next('rookery:state')).data).toBe('{"state":["bread"]}');
    expect(orders.reads).toEqual([]);
    await orders.add('cake');
    const late = host.page();
    await late.shows('bread', 'cake');
    expect(orders.reads).toHaveLength(1);
    for (const client of storm) client.close();
  });

  it('costs one read when 2,000 clients come back at once', async () => {
    await orders.add('bread');
    const storm = await Promise.all(Array.from({ length: 2000 }, openWithoutSocket));
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
    const alice = host.page();
    await alice.shows();
    // The event of this change is lost.
    await orders.add('bread', 'elsewhere');
    host.broker.lose({ appId: testApp.id, channel: 'orders.7' });
    await alice.shows('bread');
    await orders.add('cake');
    await alice.shows('bread', 'cake');
    expect(alice.heard).toEqual(['rookery:state', 'rookery:state', 'added']);
  });

  it('takes the place of replays and gaps for a client with a session', async () => {
    const name = 'private-orders.kept';
    const alice = host.page(host.connect(`/session/${randomUUID()}`), name);
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
    const alice = host.page(host.connect(`/session/${randomUUID()}`), 'private-orders.kept');
    await until(() => orders.reads.length === 1, 'the state is being read');
    await orders.add('bread', 'private-orders.kept');
    open();
    await alice.shows('bread');
    expect(alice.heard).toEqual(['rookery:state', 'added']);
  });

  it('comes with the members of a presence channel, whose changes need no new read', async () => {
    await orders.add('bread');
    const alice = host.page(host.connect(), 'presence-orders.7');
    await alice.shows('bread');
    const bob = host.page(host.connect(), 'presence-orders.7');
    await bob.shows('bread');
    expect(orders.reads).toHaveLength(1);
  });

  it('comes as one event when it is larger than other events may be', async () => {
    for (let number = 0; number < 3000; number++) orders.orders.push(`order ${number} “£”`);
    const alice = host.page();
    await until(() => alice.shown.length > 0, 'the state comes');
    expect(alice.shown).toEqual([orders.orders]);
    expect(alice.heard).toEqual(['rookery:state']);
  });

  it('comes in pieces, as streams do, when it is larger than what a slow client can be sent', async () => {
    for (let number = 0; number < 15_000; number++) orders.orders.push(`order ${number} “£”`);
    const client = await SocketClient.connect(host.port);
    client.sendSubscribe('orders.7');
    await until(() => client.frames.some(({ data }) => String(data).includes('"end":"done"')), 'the last piece comes');
    const pieces = client.frames
      .filter(({ event }) => event === 'rookery:state_piece')
      .map(({ data }) => ({ bytes: Buffer.byteLength(data as string), ...JSON.parse(data as string) }));
    expect(pieces.length).toBeGreaterThan(5);
    expect(pieces.every(({ bytes }) => bytes <= 10_240)).toBe(true);
    expect(JSON.parse(pieces.map(({ text }) => text as string).join(''))).toEqual(orders.orders);
    expect(client.frames.filter(({ event }) => event === 'rookery:state')).toEqual([]);
    client.close();
  });
});
