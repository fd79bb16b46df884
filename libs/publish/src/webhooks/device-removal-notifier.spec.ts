import { Logger } from '@nestjs/common';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import type { WebhookDelivery } from '#webhooks';
import { DeviceRemovals } from 'rookery/internal/push-device';
import { DeviceRemovalNotifier } from './device-removal-notifier.js';

beforeEach(() => {
  vi.useFakeTimers();
  vi.spyOn(Logger.prototype, 'error').mockImplementation(() => {});
  vi.spyOn(Logger.prototype, 'log').mockImplementation(() => {});
});
afterEach(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
});

it('reports a removed device once the outbox accepts webhooks again', async () => {
  let isAway = true;
  const kept: WebhookDelivery[] = [];
  const sender = {
    async send(deliveries: readonly WebhookDelivery[]) {
      if (isAway) throw new Error('the database system is shutting down');
      kept.push(...deliveries);
      return { dropped: 0 };
    },
    lost: () => {},
  };
  const removals = new DeviceRemovals();
  const news = new DeviceRemovalNotifier(sender, { urls: () => ['listener:1'] }, () => Date.now(), removals);
  await removals.notify([{ instanceId: 'i', id: 'fcm-1', userId: 'alice' }], 'deleted');
  await vi.advanceTimersByTimeAsync(7000);
  expect(kept).toEqual([]);
  isAway = false;
  await vi.advanceTimersByTimeAsync(5000);
  expect(kept.map(({ sequence }) => sequence)).toEqual(['fcm-1']);
  news.beforeApplicationShutdown();
});
