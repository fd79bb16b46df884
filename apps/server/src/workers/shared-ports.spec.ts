import { expect, it } from 'vitest';
import type { BrokerEvent, BrokerMessage } from 'rookery/channels';
import { LinkedWorker } from '../../../../test/support/linked-worker.js';
import { until } from '../../../../test/support/until.js';
import { primaryServices } from './link-services.js';
import { SharedPorts } from './shared-ports.js';
import { RemoteBroker, RemoteChannelRepository } from './remote-ports.js';

const event = (channel: string, text: string): BrokerEvent => ({ kind: 'event', appId: 'app', channel, text });

function worker(shared: SharedPorts) {
  const linked = new LinkedWorker(shared);
  const broker = new RemoteBroker(linked.link);
  const heard: BrokerMessage[] = [];
  broker.receive({ message: (message) => void heard.push(message), lost: () => {} });
  return { ...linked, broker, heard };
}

it('sends a message only to workers that subscribed to its channel', async () => {
  const shared = new SharedPorts();
  const [one, two, three] = [worker(shared), worker(shared), worker(shared)];
  await one.broker.subscribe('app', 'news');
  await two.broker.subscribe('app', 'news');
  await three.broker.subscribe('app', 'weather');
  three.received.length = 0;
  for (let n = 0; n < 100; n++) await one.broker.publish(event('news', String(n)));
  await until(() => two.heard.length >= 100, 'the other worker has heard all');
  expect(two.heard).toEqual(Array.from({ length: 100 }, (_, n) => event('news', String(n))));
  expect(one.heard).toEqual(two.heard);
  expect(three.received).toEqual([]);
});

it('sends nothing to a worker that is gone', async () => {
  const shared = new SharedPorts();
  const [one, two] = [worker(shared), worker(shared)];
  await one.broker.subscribe('app', 'news');
  await two.broker.subscribe('app', 'news');
  shared.leave(two.otherEnd);
  two.received.length = 0;
  await one.broker.publish(event('news', '1'));
  await until(() => one.heard.length > 0, 'the other has heard it');
  expect(two.received).toEqual([]);
});

it('returns the names of channels in pages, and discards an abandoned iteration', async () => {
  const shared = new SharedPorts();
  const { link, received } = new LinkedWorker(shared);
  const channels = new RemoteChannelRepository(link);
  await Promise.all(Array.from({ length: 2500 }, (_, n) => channels.occupy('app', `c${n}`, 'node', 1)));
  const sizes: number[] = [];
  for await (const page of channels.occupied('app', 'c')) sizes.push(page.length);
  expect(sizes).toEqual([1000, 1000, 500]);
  for await (const page of channels.occupied('app', 'c')) {
    expect(page).toHaveLength(1000);
    break;
  }
  received.length = 0;
  // The second iteration, of which it would go on.
  expect(await link.call(primaryServices.occupied, 'next', 2)).toBeUndefined();
});
