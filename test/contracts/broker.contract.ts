import { expect } from 'vitest';
import type { Broker, BrokerMessage } from 'rookery/channels';
import { until } from '../support/until.js';
import type { Promised } from './contract.js';

const frame = (channel: string, text: string, appId = 'app'): BrokerMessage => ({
  kind: 'frame',
  appId,
  channel,
  frame: Buffer.from(text),
});

function listen(broker: Broker): BrokerMessage[] {
  const received: BrokerMessage[] = [];
  broker.receive((message) => received.push(message));
  return received;
}

const textsOf = (received: readonly BrokerMessage[]) =>
  received.map((message) => (message.kind === 'frame' ? String(message.frame) : message.kind));

/** What every Broker must keep within the process that publishes. */
export const brokerContract: readonly Promised<Broker>[] = [
  {
    promise: 'carries a message to the publishing process, once, as it was',
    async test(broker) {
      const received = listen(broker);
      await broker.subscribe('app', 'news');
      const message: BrokerMessage = { ...frame('news', 'é\0'), except: '1.2' } as BrokerMessage;
      await broker.publish(message);
      await until(() => received.length > 0, 'the message arrives', 1000);
      expect(received).toEqual([message]);
    },
  },
  {
    promise: 'carries the order to end a user’s connections',
    async test(broker) {
      const received = listen(broker);
      await broker.subscribe('app', '#sessions-7');
      await broker.publish({ kind: 'terminate', appId: 'app', channel: '#sessions-7' });
      await until(() => received.length > 0, 'the order arrives', 1000);
      expect(received).toEqual([{ kind: 'terminate', appId: 'app', channel: '#sessions-7' }]);
    },
  },
  {
    promise: 'keeps the order of one publisher on a channel',
    async test(broker) {
      const received = listen(broker);
      await broker.subscribe('app', 'news');
      const texts = Array.from({ length: 100 }, (_, i) => String(i));
      for (const text of texts) await broker.publish(frame('news', text));
      await until(() => received.length >= 100, 'all arrive', 1000);
      expect(textsOf(received)).toEqual(texts);
    },
  },
  {
    promise: 'tells whose channel it is, though two apps have one of the same name',
    async test(broker) {
      const received = listen(broker);
      for (const appId of ['one', 'two']) await broker.subscribe(appId, 'news');
      await broker.publish(frame('news', '1', 'one'));
      await broker.publish(frame('news', '2', 'two'));
      await until(() => received.length >= 2, 'both arrive', 1000);
      expect(received.map(({ appId }) => appId)).toEqual(['one', 'two']);
    },
  },
  {
    promise: 'may be told twice to subscribe or unsubscribe, and carries a message once all the same',
    async test(broker) {
      const received = listen(broker);
      for (let n = 0; n < 2; n++) await broker.subscribe('app', 'news');
      for (let n = 0; n < 2; n++) await broker.unsubscribe('app', 'other');
      await broker.publish(frame('news', '1'));
      await broker.publish(frame('news', 'end'));
      await until(() => textsOf(received).includes('end'), 'the last arrives', 1000);
      expect(textsOf(received)).toEqual(['1', 'end']);
    },
  },
  {
    promise: 'is subscribed after an unsubscribe and a subscribe, though nobody waited in between',
    async test(broker) {
      const received = listen(broker);
      await broker.subscribe('app', 'news');
      const left = broker.unsubscribe('app', 'news');
      await broker.subscribe('app', 'news');
      await left;
      await new Promise((resolve) => setImmediate(resolve));
      await broker.publish(frame('news', '1'));
      await until(() => received.length > 0, 'the message arrives', 1000);
    },
  },
];
