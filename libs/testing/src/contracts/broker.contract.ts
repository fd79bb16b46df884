import assert from 'node:assert/strict';
import type { Broker, BrokerEvent, BrokerMessage, HistoryBounds, Position } from 'rookery/channels';
import { contract } from './contract.js';
import { matches, same } from './assertions.js';
import { until } from '../until.js';

const event = (channel: string, text: string, appId = 'app'): BrokerEvent => ({ kind: 'event', appId, channel, text });

interface Arrival {
  readonly message: BrokerMessage;
  readonly position: Position;
}

function listen(broker: Broker): Arrival[] {
  const arrived: Arrival[] = [];
  broker.receive({ message: (message, position) => void arrived.push({ message, position }), lost: () => {} });
  return arrived;
}

/** As clients receive it, of more than half a kilobyte. */
const longText = (name: string, channel: string, value: string): string =>
  JSON.stringify({ event: name, channel, data: `"channel":"cache-a" 😀 ${value}`.padEnd(600, '\n') });

const messagesOf = (arrived: readonly Arrival[]) => arrived.map(({ message }) => message);
const bounds: HistoryBounds = { events: 5, seconds: 60, bytes: 10_000 };
const kept = (channel: string, text: string, history = bounds): BrokerEvent => ({ ...event(channel, text), history });
const pastOf = async (broker: Broker, channel: string, limit = 100, after?: Position) => {
  const { events, isComplete } = await broker.history('app', channel, limit, after);
  return { texts: events.map(({ text }) => text), isComplete };
};

const textsOf = (arrived: readonly Arrival[]) =>
  messagesOf(arrived).map((message) => (message.kind === 'event' ? message.text : message.kind));

/** The contract of every Broker, within the publishing process. */
export const describeBroker = contract<Broker>('Broker', [
  {
    promise: 'delivers a message unchanged to the publishing process, once',
    async test(broker) {
      const arrived = listen(broker);
      await broker.subscribe('app', 'news');
      const change = { userId: 'ü', isPresent: true, version: 7 };
      const message: BrokerMessage = { ...event('news', '{"é":"\\u0000"}'), except: '1.2', change, asks: 'ü7' };
      await broker.publish(message);
      await until(() => arrived.length > 0, 'the message arrives', 1000);
      same(messagesOf(arrived), [message]);
    },
  },
  {
    promise: 'delivers orders to end a user’s connections',
    async test(broker) {
      const arrived = listen(broker);
      await broker.subscribe('app', '#sessions-7');
      const orders = (['terminate', 'reconnect'] as const).map((kind) => ({
        kind,
        appId: 'app',
        channel: '#sessions-7',
      }));
      for (const order of orders) await broker.publish(order);
      await until(() => arrived.length === 2, 'the orders arrive', 1000);
      same(messagesOf(arrived), orders);
    },
  },
  {
    promise: 'delivers orders to remove a user from a channel',
    async test(broker) {
      const arrived = listen(broker);
      await broker.subscribe('app', 'private-a');
      const revocation: BrokerMessage = { kind: 'revoke', appId: 'app', channel: 'private-a', userId: 'ü\n"' };
      await broker.publish(revocation);
      await until(() => arrived.length === 1, 'the order arrives', 1000);
      same(messagesOf(arrived), [revocation]);
    },
  },
  {
    promise: 'keeps the order of one publisher on a channel, even without waiting in between',
    async test(broker) {
      const arrived = listen(broker);
      await broker.subscribe('app', 'news');
      const texts = Array.from({ length: 100 }, (_, i) => String(i));
      await Promise.all(texts.map((text) => broker.publish(event('news', text))));
      await until(() => arrived.length >= 100, 'all arrive', 1000);
      same(textsOf(arrived), texts);
    },
  },
  {
    promise: 'answers the position with which the message arrives, greater than the one before',
    async test(broker) {
      const arrived = listen(broker);
      await broker.subscribe('app', 'news');
      const positions: Position[] = [];
      for (let n = 0; n < 1100; n++) positions.push(await broker.publish(event('news', String(n))));
      await until(() => arrived.length >= 1100, 'all arrive', 1000);
      same(
        arrived.map(({ position }) => position),
        positions,
      );
      assert.equal(
        positions.every((position, i) => i === 0 || position > positions[i - 1]!),
        true,
      );
    },
  },
  {
    promise: 'distinguishes channels of the same name in two apps',
    async test(broker) {
      const arrived = listen(broker);
      for (const appId of ['one', 'two']) await broker.subscribe(appId, 'news');
      await broker.publish(event('news', '1', 'one'));
      await broker.publish(event('news', '2', 'two'));
      await until(() => arrived.length >= 2, 'both arrive', 1000);
      // Order is promised within a channel: these two may be on different nodes of a Redis Cluster.
      same(
        messagesOf(arrived)
          .map(({ appId }) => appId)
          .toSorted(),
        ['one', 'two'],
      );
    },
  },
  {
    promise: 'accepts repeated subscribe and unsubscribe, and delivers a message once',
    async test(broker) {
      const arrived = listen(broker);
      for (let n = 0; n < 2; n++) await broker.subscribe('app', 'news');
      for (let n = 0; n < 2; n++) await broker.unsubscribe('app', 'other');
      await broker.publish(event('news', '1'));
      await broker.publish(event('news', 'end'));
      await until(() => textsOf(arrived).includes('end'), 'the last arrives', 1000);
      same(textsOf(arrived), ['1', 'end']);
    },
  },
  {
    promise: 'is subscribed after an unsubscribe and a subscribe, even without waiting in between',
    async test(broker) {
      const arrived = listen(broker);
      await broker.subscribe('app', 'news');
      const left = broker.unsubscribe('app', 'news');
      await broker.subscribe('app', 'news');
      await left;
      await new Promise((resolve) => setImmediate(resolve));
      await broker.publish(event('news', '1'));
      await until(() => arrived.length > 0, 'the message arrives', 1000);
    },
  },
  {
    promise: 'remembers a channel’s last event if requested, with its position and its remaining seconds',
    async test(broker) {
      listen(broker);
      await broker.publish(event('cache-a', 'first'), 60);
      const position = await broker.publish(event('cache-a', '{"é":"\\n"}'), 60);
      await broker.publish(event('cache-a', 'not remembered'));
      const { ttlSeconds, ...remembered } = (await broker.recall('app', 'cache-a'))!;
      same(remembered, { text: '{"é":"\\n"}', position });
      assert.equal(Number.isInteger(ttlSeconds) && ttlSeconds > 55 && ttlSeconds <= 60, true);
      assert.equal(await broker.recall('app', 'cache-b'), undefined);
      assert.equal(await broker.recall('other', 'cache-a'), undefined);
    },
  },
  {
    promise: 'remembers an event in the step that publishes it: a subscriber that receives it finds it',
    async test(broker) {
      const found: unknown[] = [];
      broker.receive({
        message: () => void found.push(broker.recall('app', 'cache-a')),
        lost: () => {},
      });
      await broker.subscribe('app', 'cache-a');
      await broker.publish(event('cache-a', '1'), 60);
      await until(() => found.length > 0, 'the message arrives', 1000);
      matches(await found[0], { text: '1' });
    },
  },
  {
    promise: 'forgets an event when it expires',
    async test(broker) {
      listen(broker);
      await broker.publish(event('cache-a', '1'), 0.03);
      await until(async () => (await broker.recall('app', 'cache-a')) === undefined, 'the event is forgotten', 2000);
    },
  },
  {
    promise: 'keeps events for a history in order, with their positions and excluded connections',
    async test(broker) {
      const arrived = listen(broker);
      await broker.subscribe('app', 'orders');
      const first = await broker.publish({ ...kept('orders', '{"é":"\\n"}'), except: '1.2' });
      await broker.publish(event('orders', 'not kept'));
      const second = await broker.publish(kept('orders', '2'));
      const { events, isComplete, now } = await broker.history('app', 'orders', 100);
      same(events, [
        { position: first, text: '{"é":"\\n"}', except: '1.2' },
        { position: second, text: '2' },
      ]);
      assert.equal(isComplete && now >= second, true);
      await until(() => arrived.length === 3, 'all arrive', 5000);
      same(arrived[2], { message: kept('orders', '2'), position: second });
      for (const [appId, channel] of [
        ['app', 'news'],
        ['other', 'orders'],
      ] as const)
        same((await broker.history(appId, channel, 100)).events, []);
    },
  },
  {
    promise: 'keeps an event of many channels so that it reads on each of them as if alone',
    async test(broker) {
      listen(broker);
      const channels = ['cache-a', 'cache-aa', 'channel', 'cache-ü"\\'];
      const triggered = (name: string, value: string) =>
        channels.map((channel) => kept(channel, longText(name, channel, value)));
      const all = [...triggered('é', '1'), ...triggered('channel', '2'), ...triggered('é', '3')];
      const positions = await Promise.all(all.map(async (message) => broker.publish(message, 60)));
      const last = all.length - channels.length;
      for (const [at, channel] of channels.entries()) {
        const expected = [at, at + channels.length, at + last].map((n) => ({
          position: positions[n],
          text: all[n]!.text,
        }));
        same((await broker.history('app', channel, 100)).events, expected);
        matches(await broker.recall('app', channel), expected[2]!);
      }
      await broker.publish(event('cache-a', 'another'), 60);
      matches(await broker.recall('app', 'cache-a'), { text: 'another' });
      matches(await broker.recall('app', 'cache-aa'), { text: all[last + 1]!.text });
    },
  },
  {
    promise: 'answers the events after a position, page by page',
    async test(broker) {
      listen(broker);
      const positions: Position[] = [];
      for (const text of ['1', '2', '3', '4']) positions.push(await broker.publish(kept('orders', text)));
      same(await pastOf(broker, 'orders', 2, positions[0]), { texts: ['2', '3'], isComplete: true });
      same(await pastOf(broker, 'orders', 2, positions[2]), { texts: ['4'], isComplete: true });
      same(await pastOf(broker, 'orders', 2, positions[3]), { texts: [], isComplete: true });
    },
  },
  {
    promise: 'has a current position even before the first event: later events are after it',
    async test(broker) {
      listen(broker);
      const before = (await broker.history('app', 'orders', 0)).now;
      await broker.publish(kept('orders', '1'));
      const after = (await broker.history('app', 'orders', 0)).now;
      await broker.publish(kept('orders', '2'));
      same(await pastOf(broker, 'orders', 100, before), { texts: ['1', '2'], isComplete: true });
      same(await pastOf(broker, 'orders', 100, after), { texts: ['2'], isComplete: true });
      same((await broker.history('app', 'orders', 0, before)).events, []);
    },
  },
  {
    promise: 'drops the oldest events beyond the bounds, and says so to readers that lack the last of them',
    async test(broker) {
      listen(broker);
      const positions: Position[] = [];
      for (let n = 0; n < 9; n++) positions.push(await broker.publish(kept('orders', String(n))));
      const texts = ['4', '5', '6', '7', '8'];
      same(await pastOf(broker, 'orders', 100, positions[2]), { texts, isComplete: false });
      same(await pastOf(broker, 'orders', 100, positions[3]), { texts, isComplete: true });
      same(await pastOf(broker, 'orders'), { texts, isComplete: false });
      await broker.publish(kept('orders', 'é'.repeat(20), { ...bounds, bytes: 41 }));
      same(await pastOf(broker, 'orders', 100, positions[7]), {
        texts: ['8', 'é'.repeat(20)],
        isComplete: true,
      });
      matches(await pastOf(broker, 'orders', 100, positions[6]), { isComplete: false });
    },
  },
  {
    promise: 'drops expired events, and still knows that there were some',
    async test(broker) {
      listen(broker);
      const before = (await broker.history('app', 'orders', 0)).now;
      const last = await broker.publish(kept('orders', '1', { ...bounds, seconds: 0.05 }));
      await until(async () => (await pastOf(broker, 'orders')).texts.length === 0, 'the event is dropped', 5000);
      same(await pastOf(broker, 'orders', 100, before), { texts: [], isComplete: false });
      same(await pastOf(broker, 'orders', 100, last), { texts: [], isComplete: true });
    },
  },
  {
    promise: 'answers no complete page for an unknown position',
    async test(broker) {
      listen(broker);
      await broker.publish(kept('orders', '1'));
      for (const position of ['0', '0000000000000001', '1'.repeat(40)])
        same(await pastOf(broker, 'orders', 100, position), { texts: ['1'], isComplete: false });
    },
  },
  {
    promise: 'keeps the order of kept events and other messages of a channel, even without waiting in between',
    async test(broker) {
      const arrived = listen(broker);
      await broker.subscribe('app', 'orders');
      const texts = Array.from({ length: 20 }, (_, n) => String(n));
      const positions = await Promise.all(
        texts.map((text, n) => broker.publish(n % 2 === 0 ? kept('orders', text) : event('orders', text))),
      );
      await until(() => arrived.length >= 20, 'all arrive', 5000);
      same(textsOf(arrived), texts);
      assert.equal(
        positions.every((position, n) => n === 0 || position > positions[n - 1]!),
        true,
      );
    },
  },
  {
    promise: 'has an event in its history by the time it is delivered',
    async test(broker) {
      const found: unknown[] = [];
      broker.receive({
        message: () => void found.push(broker.history('app', 'orders', 100)),
        lost: () => {},
      });
      await broker.subscribe('app', 'orders');
      await broker.publish(kept('orders', '1'));
      await until(() => found.length > 0, 'the message arrives', 5000);
      matches(await found[0], { events: [{ text: '1' }] });
    },
  },
]);
