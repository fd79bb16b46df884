import { Logger } from '@nestjs/common';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { RookeryError, settingsOf } from '#common';
import { ApiError } from '#http';
import type { Apps } from 'rookery/channels';
import type { PublishService } from 'rookery/publish';
import { NotificationsMetrics } from './metrics.js';
import { NotificationWorker } from './notification.worker.js';
import { NotificationsSettings } from './notifications.options.js';
import type { NotifyingApps } from './notifying-apps.js';
import type { ReadLinks } from './read-links.js';
import { MemoryNotificationRepository } from './store/memory-notification.repository.js';

beforeEach(() => {
  vi.useFakeTimers();
  vi.spyOn(Logger.prototype, 'error').mockReturnValue();
});
afterEach(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
});

/** A notification that is due, and a worker whose first publishes fail. */
async function settledAfter(...failures: readonly Error[]) {
  const repository = new MemoryNotificationRepository();
  const left = [...failures];
  const prepareForUsers = async () => {
    const failure = left.shift();
    if (failure) throw failure;
    return { publish: { id: 'publish' }, outbox: { add: async () => ({ publishId: 'publish' }) }, added() {} };
  };
  const worker = new NotificationWorker(
    { findById: () => ({ id: 'app' }) } as unknown as Apps,
    { find: () => ({ instanceId: 'instance', pushesPerHour: 10 }) } as unknown as NotifyingApps,
    repository,
    { prepareForUsers } as unknown as PublishService,
    { linkOf: () => 'https://read' } as unknown as ReadLinks,
    new NotificationsMetrics(repository),
    settingsOf(NotificationsSettings, {}),
  );
  const now = Date.now();
  const event = { name: 'note', data: '{}' };
  await repository.add({ id: 'one', appId: 'app', userId: 'alice', event, createdAt: now, pushAt: now }, true);
  worker.onApplicationBootstrap();
  await vi.advanceTimersByTimeAsync(60_000);
  await worker.beforeApplicationShutdown();
  const { pushedAt, skippedAt } = (await repository.find('app', 'one'))!;
  return pushedAt === undefined ? { skippedAfter: skippedAt! - now } : { pushedAfter: pushedAt - now };
}

const answer = (status: number): Error => new ApiError('code', status, 'Error', 'It was refused.');

it.each([
  ['too many publishes wait', [answer(429)]],
  ['too many publishes wait for long', [answer(429), answer(429), answer(429)]],
  ['the server fails', [answer(500)]],
  ['the server is away', [answer(503)]],
  ['the database is away', [new Error('connection refused')]],
])('pushes a notification later when %s', async (_, failures) => {
  const { pushedAfter = 0 } = await settledAfter(...failures);
  expect(pushedAfter).toBeGreaterThanOrEqual(5000 * failures.length);
});

it.each([
  ['the publish is refused', answer(422)],
  ['there is no such instance', answer(404)],
  ['the app is gone', new RookeryError('app_not_found', 'There is no such app any more')],
])('gives a notification up at once when %s', async (_, failure) => {
  expect(await settledAfter(failure)).toEqual({ skippedAfter: 0 });
});
