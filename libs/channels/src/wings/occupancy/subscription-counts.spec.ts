import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { MemoryRequestRates, type RequestLimit, RequestRates } from '#common';
import { appFrom } from '../../app/app.js';
import type { BrokerEvent, BrokerMessage, Position } from '../../broker/broker.js';
import { InProcessBroker } from '../../broker/in-process.broker.js';
import { type ChannelName, parseChannelName } from '../../protocol/channel-name.js';
import { MemoryChannelRepository } from '../../storage/memory-channel.repository.js';
import { Throttle } from '../../throttle.js';
import type { VersionedCount } from './local-occupancy.js';
import { SubscriptionCounts } from './subscription-counts.js';
import type { WebhooksService } from '../../webhooks/webhooks.service.js';

const app = appFrom({ id: '1', key: 'k', secret: 's', subscriptionCount: true });
const channel = (name: string): ChannelName => parseChannelName(name, { channelNameLength: 200, userIdLength: 128 })!;

let version = 0;
const latest = (count: number): VersionedCount => ({ count, version: ++version });

class Counted extends MemoryChannelRepository {
  override subscriptionCounts(): readonly number[] {
    return [500];
  }
}

function countIn({ text }: BrokerEvent): number {
  const { data } = JSON.parse(text) as { data: string };
  return (JSON.parse(data) as { subscription_count: number }).subscription_count;
}

beforeEach(() => void vi.useFakeTimers());
afterEach(() => vi.useRealTimers());

function start(rates: RequestRates = new MemoryRequestRates()) {
  const told: string[] = [];
  const toldCounts: number[] = [];
  class Listening extends InProcessBroker {
    override publish(message: BrokerMessage): Position {
      told.push(message.channel);
      toldCounts.push(countIn(message as BrokerEvent));
      return '';
    }
  }
  const webhooks: Pick<WebhooksService, 'emit'> = { emit: () => {} };
  const counts = new SubscriptionCounts(
    new Listening(),
    new Counted(),
    webhooks as WebhooksService,
    new Throttle(rates),
  );
  return { told, toldCounts, counts };
}

it('of a large channel is sent at most every five seconds, independent of other channels', async () => {
  const { told, counts } = start();
  counts.changed(app, channel('early'), latest(200));
  await vi.advanceTimersByTimeAsync(4900);
  counts.changed(app, channel('late'), latest(200));
  counts.changed(app, channel('late'), latest(201));
  expect(told).toEqual(['early', 'late']);

  await vi.advanceTimersByTimeAsync(4900);
  expect(told).toEqual(['early', 'late']);
  await vi.advanceTimersByTimeAsync(200);
  expect(told).toEqual(['early', 'late', 'late']);
});

it('of a large channel is sent at once again after five quiet seconds', async () => {
  const { told, counts } = start();
  counts.changed(app, channel('crowd'), latest(200));
  await vi.advanceTimersByTimeAsync(5000);
  counts.changed(app, channel('crowd'), latest(201));
  expect(told).toEqual(['crowd', 'crowd']);
  expect(vi.getTimerCount(), 'of the channel, and of the rates').toBe(2);
  await vi.advanceTimersByTimeAsync(5000);
  expect(vi.getTimerCount(), 'of the rates').toBe(1);
  await vi.advanceTimersByTimeAsync(60_000);
  expect(vi.getTimerCount()).toBe(0);
});

/** What is counted elsewhere is answered later. */
class RemoteRates extends RequestRates {
  private readonly near = new MemoryRequestRates();
  async take(limits: readonly RequestLimit[]): Promise<number> {
    return this.near.take(limits);
  }
  async giveBack(limits: readonly RequestLimit[]): Promise<void> {
    this.near.giveBack(limits);
  }
}

it('of a large channel is sent at most every five seconds over all processes, ending with the latest', async () => {
  const rates = new RemoteRates();
  const processes = [start(rates), start(rates), start(rates)];
  const told = (): number => processes.reduce((sum, each) => sum + each.told.length, 0);
  for (const { counts } of processes) counts.changed(app, channel('crowd'), latest(200));
  await vi.advanceTimersByTimeAsync(4000);
  expect(told()).toBe(1);
  for (const { counts } of processes) counts.changed(app, channel('crowd'), latest(201));
  await vi.advanceTimersByTimeAsync(2000);
  expect(told()).toBe(2);
});

it('is not sent after the shutdown', async () => {
  const { told, counts } = start();
  counts.changed(app, channel('crowd'), latest(200));
  counts.changed(app, channel('crowd'), latest(201));
  counts.onApplicationShutdown();
  await vi.advanceTimersByTimeAsync(10_000);
  expect(told).toEqual(['crowd']);
});

it('of a small channel is sent at once, and then the latest every 200 milliseconds', async () => {
  const { toldCounts, counts } = start();
  for (let n = 1; n <= 1000; n += 1) {
    counts.changed(app, channel('small'), latest((n % 90) + 1));
    await vi.advanceTimersByTimeAsync(1);
  }
  expect(toldCounts).toEqual([2, 21, 41, 61, 81, 11]);
  const [older, newer] = [latest(5), latest(7)];
  counts.changed(app, channel('small'), newer);
  counts.changed(app, channel('small'), older);
  await vi.advanceTimersByTimeAsync(1000);
  expect(toldCounts.slice(6)).toEqual([7]);
  expect(vi.getTimerCount()).toBe(0);
  counts.changed(app, channel('small'), latest(1));
  expect(toldCounts.slice(7)).toEqual([1]);
});

it('of a channel that has grown large is not followed by an earlier one', async () => {
  const { toldCounts, counts } = start();
  for (const count of [99, 100, 101]) counts.changed(app, channel('growing'), latest(count));
  await vi.advanceTimersByTimeAsync(4000);
  expect(toldCounts).toEqual([99, 101]);
});

it('is sent at once during a shutdown, so that clients of other processes know the latest', () => {
  const { toldCounts, counts } = start();
  for (const count of [3, 2]) counts.changed(app, channel('small'), latest(count));
  counts.beforeApplicationShutdown();
  counts.changed(app, channel('small'), latest(1));
  expect(toldCounts).toEqual([3, 2, 1]);
});

it.each([
  ['small', 2],
  ['large', 200],
])('of a %s channel does not hold back that of another app’s channel of the same name', (_, count) => {
  const { told, counts } = start();
  counts.changed(app, channel('news'), latest(count));
  counts.changed(appFrom({ id: '2', key: 'k2', secret: 's', subscriptionCount: true }), channel('news'), latest(count));
  expect(told).toEqual(['news', 'news']);
});
