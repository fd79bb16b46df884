import { expect } from 'vitest';
import type { Broker, BrokerEvent, BrokerMessage, Position } from 'rookery/channels';
import { until } from '../support/until.js';
import type { Promised } from './contract.js';

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

const messagesOf = (arrived: readonly Arrival[]) => arrived.map(({ message }) => message);
const textsOf = (arrived: readonly Arrival[]) =>
  messagesOf(arrived).map((message) => (message.kind === 'event' ? message.text : message.kind));

/** What every Broker must keep within the process that publishes. */
export const brokerContract: readonly Promised<Broker>[] = [
  {
    promise: 'carries a message to the publishing process, once, as it was',
    async test(broker) {
      const arrived = listen(broker);
      await broker.subscribe('app', 'news');
      const change = { userId: 'ü', isPresent: true, version: 7 };
      const message: BrokerMessage = { ...event('news', '{"é":"\\u0000"}'), except: '1.2', change };
      await broker.publish(message);
      await until(() => arrived.length > 0, 'the message arrives', 1000);
      expect(messagesOf(arrived)).toEqual([message]);
    },
  },
  {
    promise: 'carries the orders to end a user’s connections',
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
      expect(messagesOf(arrived)).toEqual(orders);
    },
  },
  {
    promise: 'keeps the order of one publisher on a channel, though nobody waited in between',
    async test(broker) {
      const arrived = listen(broker);
      await broker.subscribe('app', 'news');
      const texts = Array.from({ length: 100 }, (_, i) => String(i));
      await Promise.all(texts.map((text) => broker.publish(event('news', text))));
      await until(() => arrived.length >= 100, 'all arrive', 1000);
      expect(textsOf(arrived)).toEqual(texts);
    },
  },
  {
    promise: 'answers the position with which the message arrives, greater than that of the message before',
    async test(broker) {
      const arrived = listen(broker);
      await broker.subscribe('app', 'news');
      const positions: Position[] = [];
      for (let n = 0; n < 1100; n++) positions.push(await broker.publish(event('news', String(n))));
      await until(() => arrived.length >= 1100, 'all arrive', 1000);
      expect(arrived.map(({ position }) => position)).toEqual(positions);
      expect(positions.every((position, i) => i === 0 || position > positions[i - 1]!)).toBe(true);
    },
  },
  {
    promise: 'tells whose channel it is, though two apps have one of the same name',
    async test(broker) {
      const arrived = listen(broker);
      for (const appId of ['one', 'two']) await broker.subscribe(appId, 'news');
      await broker.publish(event('news', '1', 'one'));
      await broker.publish(event('news', '2', 'two'));
      await until(() => arrived.length >= 2, 'both arrive', 1000);
      expect(messagesOf(arrived).map(({ appId }) => appId)).toEqual(['one', 'two']);
    },
  },
  {
    promise: 'may be told twice to subscribe or unsubscribe, and carries a message once all the same',
    async test(broker) {
      const arrived = listen(broker);
      for (let n = 0; n < 2; n++) await broker.subscribe('app', 'news');
      for (let n = 0; n < 2; n++) await broker.unsubscribe('app', 'other');
      await broker.publish(event('news', '1'));
      await broker.publish(event('news', 'end'));
      await until(() => textsOf(arrived).includes('end'), 'the last arrives', 1000);
      expect(textsOf(arrived)).toEqual(['1', 'end']);
    },
  },
  {
    promise: 'is subscribed after an unsubscribe and a subscribe, though nobody waited in between',
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
    promise: 'remembers the last event of a channel that it was told to, with its position and the seconds it has left',
    async test(broker) {
      listen(broker);
      await broker.publish(event('cache-a', 'first'), 60);
      const position = await broker.publish(event('cache-a', '{"é":"\\n"}'), 60);
      await broker.publish(event('cache-a', 'not remembered'));
      const { ttlSeconds, ...remembered } = (await broker.recall('app', 'cache-a'))!;
      expect(remembered).toEqual({ text: '{"é":"\\n"}', position });
      expect(Number.isInteger(ttlSeconds) && ttlSeconds > 55 && ttlSeconds <= 60).toBe(true);
      expect(await broker.recall('app', 'cache-b')).toBeUndefined();
      expect(await broker.recall('other', 'cache-a')).toBeUndefined();
    },
  },
  {
    promise: 'remembers an event in the step that publishes it: who hears of it finds it',
    async test(broker) {
      const found: unknown[] = [];
      broker.receive({
        message: () => void found.push(broker.recall('app', 'cache-a')),
        lost: () => {},
      });
      await broker.subscribe('app', 'cache-a');
      await broker.publish(event('cache-a', '1'), 60);
      await until(() => found.length > 0, 'the message arrives', 1000);
      expect(await found[0]).toMatchObject({ text: '1' });
    },
  },
  {
    promise: 'forgets an event when its time is over',
    async test(broker) {
      listen(broker);
      await broker.publish(event('cache-a', '1'), 0.03);
      await until(async () => (await broker.recall('app', 'cache-a')) === undefined, 'the event is forgotten', 2000);
    },
  },
];
