import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { settingsOf } from '#common';
import { NotificationRetention } from './notification-retention.js';
import { NotificationsSettings } from './notifications.options.js';
import type { NotifyingApps } from './notifying-apps.js';
import { MemoryNotificationRepository } from './store/memory-notification.repository.js';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

it('deletes the notifications of each app once they are older than its keepSeconds', async () => {
  const repository = new MemoryNotificationRepository();
  const keepSeconds: Readonly<Record<string, number>> = { shop: 3600, forum: 7200 };
  const now = Date.now();
  const minutes = [1, 59, 61, 119, 121];
  for (const appId of Object.keys(keepSeconds))
    for (const minute of minutes) {
      const event = { name: 'note', data: '{}' };
      const id = `${appId} ${minute}`;
      await repository.add([{ id, appId, userId: 'alice', event, createdAt: now - minute * 60_000 }], 'never');
    }
  const apps = { keepSeconds: (appId: string) => keepSeconds[appId]! } as NotifyingApps;
  const retention = new NotificationRetention(settingsOf(NotificationsSettings, {}), apps, repository);
  retention.onApplicationBootstrap();
  await vi.advanceTimersByTimeAsync(1000);
  await retention.beforeApplicationShutdown();
  const left = async (appId: string) => (await repository.latest(appId, 10)).map(({ id }) => id);
  expect(await left('shop')).toEqual(['shop 1', 'shop 59']);
  expect(await left('forum')).toEqual(['forum 1', 'forum 59', 'forum 61', 'forum 119']);
});
