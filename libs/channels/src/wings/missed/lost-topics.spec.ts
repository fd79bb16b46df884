import { Logger } from '@nestjs/common';
import { afterEach, expect, it, vi } from 'vitest';
import { until } from '../../../../../test/support/until.js';
import type { BrokerReceiver } from '../../broker/broker.js';
import { InProcessBroker } from '../../broker/in-process.broker.js';
import { ChannelsSettings } from '../../channels.options.js';
import type { Connection } from '../../connections/connection.js';
import { ChannelsMetrics } from '../../metrics.js';
import { Hub } from '../../hub/hub.js';
import { LostTopics } from './lost-topics.js';

/** A broker whose connection breaks when a test says so. */
class Breaking extends InProcessBroker {
  private told: BrokerReceiver | undefined;
  override receive(receiver: BrokerReceiver): void {
    this.told = receiver;
    super.receive(receiver);
  }
  breaks(...channels: readonly string[]): void {
    this.told?.lost(channels.map((channel) => ({ appId: 'app', channel })));
  }
}

afterEach(() => void vi.restoreAllMocks());

it('logs and counts the channels with local subscribers that may have missed messages', async () => {
  const warn = vi.spyOn(Logger.prototype, 'warn').mockReturnValue();
  const broker = new Breaking();
  const metrics = new ChannelsMetrics();
  const hub = new Hub(broker, metrics, new ChannelsSettings());
  const lost = new LostTopics(hub, metrics);
  broker.receive({ message: () => {}, lost: (topics) => hub.lost(topics) });
  const connection = { app: { id: 'app', history: [] }, socketId: '1.1' } as unknown as Connection;
  await hub.join(connection, 'news');
  await hub.join(connection, 'weather');
  broker.breaks('news', 'nobody-here');
  broker.breaks('nobody-here');
  broker.breaks('weather');
  expect((await metrics.gaps.get()).values).toMatchObject([{ value: 2 }]);
  expect(lost.take().map(({ channel }) => channel)).toEqual(['news', 'weather']);
  await until(() => warn.mock.calls.length > 0, 'it is said');
  expect(warn.mock.calls).toEqual([['Messages of 2 channels may have been lost on their way to this process']]);
});
