import { Logger } from '@nestjs/common';
import { afterEach, beforeEach, expect, it, onTestFinished, vi } from 'vitest';
import { appFrom, type HandledEvents } from 'rookery/internal/channels';
import type { NotificationRepository } from './store/notification.repository.js';
import { UnreadNotifier } from './unread-notifier.js';

beforeEach(() => void vi.spyOn(Logger.prototype, 'warn').mockReturnValue());
afterEach(() => void vi.restoreAllMocks());

const app = appFrom({ id: '1', key: 'k', secret: 's' });

/** A feed whose reads a test ends, with the events that were sent. */
function feed() {
  const reads: { readonly userId: string; readonly answer: (unread: number | Error) => void }[] = [];
  const sent: unknown[] = [];
  const repository = {
    unread: (_: string, userId: string) =>
      new Promise((resolve, reject) =>
        reads.push({ userId, answer: (unread) => (unread instanceof Error ? reject(unread) : resolve(unread)) }),
      ),
  };
  const events = {
    check: (_: unknown, userId: string, { data }: { data: object }) => ({ userId, ...data }),
    send: async (_: unknown, event: unknown) => void sent.push(event),
  };
  const notifier = new UnreadNotifier(
    repository as unknown as NotificationRepository,
    events as unknown as HandledEvents,
    { isShared: false },
  );
  return { notifier, reads, sent };
}

it('tells what changes while the number is read, with a number that was read after it', async () => {
  const { notifier, reads, sent } = feed();
  const first = notifier.notify(app, 'ann', ['a']);
  await notifier.notify(app, 'ann', ['b']);
  await notifier.notify(app, 'ann', ['c'], true);
  expect(reads).toHaveLength(1);
  reads[0]!.answer(3);
  await expect.poll(() => reads.length).toBe(2);
  await notifier.notify(app, 'ann', []);
  reads[1]!.answer(1);
  await expect.poll(() => reads.length).toBe(3);
  reads[2]!.answer(2);
  await first;
  expect(sent).toEqual([
    { userId: 'ann', unread: 3, withdrawn: ['a'] },
    { userId: 'ann', unread: 1, withdrawn: ['b', 'c'], deleted: ['c'] },
    { userId: 'ann', unread: 2, withdrawn: [] },
  ]);
});

it('tells each user alone, and the same user of another app', async () => {
  const { notifier, reads, sent } = feed();
  const told = [
    notifier.notify(app, 'ann', ['a']),
    notifier.notify(app, 'bob', ['b']),
    notifier.notify(appFrom({ id: '2', key: 'k2', secret: 's' }), 'ann', ['c']),
  ];
  expect(reads.map(({ userId }) => userId)).toEqual(['ann', 'bob', 'ann']);
  for (const [n, { answer }] of reads.entries()) answer(n);
  await Promise.all(told);
  expect(sent).toMatchObject([{ withdrawn: ['a'] }, { withdrawn: ['b'] }, { withdrawn: ['c'] }]);
});

it('tells at most a hundred in one event, and all of them', async () => {
  const { notifier, reads, sent } = feed();
  const ids = Array.from({ length: 205 }, (_, n) => String(n));
  const told = notifier.notify(app, 'ann', ids, true);
  for (let n = 0; n < 3; n++) {
    await expect.poll(() => reads.length).toBe(n + 1);
    reads[n]!.answer(0);
  }
  await told;
  const parts = [ids.slice(0, 100), ids.slice(100, 200), ids.slice(200)];
  expect(sent).toEqual(parts.map((part) => ({ userId: 'ann', unread: 0, withdrawn: part, deleted: part })));
});

it('tells what a failed event should have told, with the next change', async () => {
  const { notifier, reads, sent } = feed();
  const failing = notifier.notify(app, 'ann', ['a'], true);
  reads[0]!.answer(new Error('the database is away'));
  await failing;
  await notifier.notify(app, 'ann', ['b']);
  await expect.poll(() => reads.length).toBe(2);
  reads[1]!.answer(1);
  await expect.poll(() => sent).toEqual([{ userId: 'ann', unread: 1, withdrawn: ['a', 'b'], deleted: ['a'] }]);
  const later = notifier.notify(app, 'ann', ['c']);
  reads[2]!.answer(0);
  await later;
  expect(sent.at(-1)).toEqual({ userId: 'ann', unread: 0, withdrawn: ['c'] });
});

it('gives a failed event up after a minute', async () => {
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
  const { notifier, reads, sent } = feed();
  const failing = notifier.notify(app, 'ann', ['a']);
  for (let n = 0; n < 100; n++) {
    reads[n]?.answer(new Error('the database is away'));
    await vi.advanceTimersByTimeAsync(2000);
  }
  await failing;
  const tries = reads.length;
  expect(tries).toBeLessThan(50);
  const next = notifier.notify(app, 'ann', ['b']);
  reads[tries]!.answer(1);
  await next;
  expect(sent).toEqual([{ userId: 'ann', unread: 1, withdrawn: ['b'] }]);
});
