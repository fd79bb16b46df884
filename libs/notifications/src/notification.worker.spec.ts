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
import { ShownNotifications } from './shown-notifications.js';
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
async function given(...failures: readonly Error[]) {
  const repository = new MemoryNotificationRepository();
  const left = [...failures];
  const prepareForUsers = async () => {
    const failure = left.shift();
    if (failure) throw failure;
    return { publish: { id: 'publish' }, outbox: { add: async () => ({ publishId: 'publish' }) }, added() {} };
  };
  const shown = new ShownNotifications(repository);
  const worker = new NotificationWorker(
    { findById: () => ({ id: 'app' }) } as unknown as Apps,
    { find: () => ({ instanceId: 'instance', pushesPerHour: 10 }) } as unknown as NotifyingApps,
    repository,
    { prepareForUsers } as unknown as PublishService,
    { linkOf: () => 'https://read' } as unknown as ReadLinks,
    new NotificationsMetrics(repository),
    settingsOf(NotificationsSettings, {}),
    shown,
  );
  const now = Date.now();
  const event = { name: 'note', data: '{}' };
  await repository.add([{ id: 'one', appId: 'app', userId: 'alice', event, createdAt: now, pushAt: now }], 'pushed');
  return { repository, worker, shown, now };
}

async function settledAfter(...failures: readonly Error[]) {
  const { repository, worker, now } = await given(...failures);
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

it('does not push a notification that a page has shown while the database was away', async () => {
  vi.spyOn(Logger.prototype, 'warn').mockReturnValue();
  const { repository, worker, shown, now } = await given();
  const away = vi.spyOn(repository, 'shown').mockRejectedValue(new Error('away'));
  shown.add('app', 'one');
  await vi.advanceTimersByTimeAsync(150);
  expect(away.mock.calls.length).toBeGreaterThan(1);
  // It is due, and the database is back: before the next try, the worker stores it.
  away.mockRestore();
  worker.onApplicationBootstrap();
  await vi.advanceTimersByTimeAsync(60_000);
  await worker.beforeApplicationShutdown();
  const record = await repository.find('app', 'one');
  expect(record).toMatchObject({ shownAt: now });
  expect(record?.pushedAt).toBeUndefined();
});

it('stores all that pages have shown while the database was away, once it is back', async () => {
  const warn = vi.spyOn(Logger.prototype, 'warn').mockReturnValue();
  const { repository, shown, now } = await given();
  const event = { name: 'note', data: '{}' };
  const others = Array.from({ length: 120 }, (_, n) => `other ${n}`);
  for (const id of others)
    await repository.add([{ id, appId: 'app', userId: 'alice', event, createdAt: now }], 'pushed');
  const away = vi.spyOn(repository, 'shown').mockRejectedValue(new Error('away'));
  for (const id of others) shown.add('app', id);
  await vi.advanceTimersByTimeAsync(10_000);
  expect(warn).toHaveBeenCalledTimes(1);
  expect(away.mock.calls.length).toBeLessThan(200);
  away.mockRestore();
  await vi.advanceTimersByTimeAsync(2000);
  await shown.beforeApplicationShutdown();
  for (const id of others) expect(await repository.find('app', id)).toMatchObject({ shownAt: now });
});

it('looks for a notification that was deleted by hand less and less often, and gives it up after a day', async () => {
  const { repository, worker, now } = await given();
  const seconds: number[] = [];
  vi.spyOn(repository, 'find').mockImplementation(async () => void seconds.push((Date.now() - now) / 1000));
  worker.onApplicationBootstrap();
  await vi.advanceTimersByTimeAsync(2 * 86_400_000);
  await worker.beforeApplicationShutdown();
  expect(seconds.slice(0, 5).map(Math.round)).toEqual([0, 5, 10, 20, 40]);
  expect(seconds.at(-1)).toBeCloseTo(86_400, -2);
  expect(await repository.jobs.size()).toBe(0);
  expect(vi.mocked(Logger.prototype.error).mock.calls).toEqual([
    ['Notification one of app app is missing from its store; looking for it for a day'],
    ['Notification one of app app was given up: it has been missing from its store for a day'],
  ]);
});
