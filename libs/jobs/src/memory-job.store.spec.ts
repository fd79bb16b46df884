import { Logger } from '@nestjs/common';
import { randomUUID } from 'node:crypto';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { type Job, MemoryJobStore } from 'rookery/jobs';

const kilobyte = 1024;
const everything = { id: 'claim', now: 1_000_000, limit: 1000, perKey: 1000, busy: new Set<string>(), leaseMs: 1000 };

/** Including the extra kilobyte per job, a job here takes two. */
const jobOf = (key: string): Job => {
  const data = 'x'.repeat(kilobyte);
  return { id: randomUUID(), owner: 'app-1', key, dueAt: Date.now(), data, state: '' };
};
const ids = (jobs: readonly Job[]): readonly string[] => jobs.map(({ id }) => id);

beforeEach(() => {
  vi.useFakeTimers({ now: 1_000_000 });
  vi.spyOn(Logger.prototype, 'warn').mockReturnValue();
});
afterEach(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
});

it('drops the earliest jobs of the longest queue when it is full, and none of the others', async () => {
  const store = new MemoryJobStore({ maxBytes: 8 * kilobyte });
  const failing = [1, 2, 3].map(() => jobOf('failing'));
  const fine = [1, 2].map(() => jobOf('fine'));
  expect(await store.add([...failing, ...fine])).toEqual({ dropped: 1 });
  expect(ids(await store.claim(everything))).toEqual(ids([...failing.slice(1), ...fine]));
});

it('counts what is still in a queue, not what was taken from it, to find the longest', async () => {
  const store = new MemoryJobStore({ maxBytes: 6 * kilobyte });
  const [busy, next] = [[1, 2, 3].map(() => jobOf('busy')), [1, 2, 3].map(() => jobOf('next'))];
  await store.add(busy);
  await store.claim({ ...everything, limit: 2 });
  expect(await store.add(next)).toEqual({ dropped: 1 });
  expect(ids(await store.claim(everything))).toEqual(ids([busy[2]!, ...next.slice(1)]));
});

it('gives up the earliest jobs of the fullest queue, wherever it stands', async () => {
  const store = new MemoryJobStore();
  const full = [1, 2, 3].map(() => jobOf('full'));
  await store.add([jobOf('first'), ...full, jobOf('last')]);
  const limits = { most: 10, maxBytes: 1_000_000, keepMs: 1000 };
  expect(await store.buryBeyond(4, { diedAt: Date.now(), reason: 'x' }, limits)).toBe(1);
  expect((await store.dead('app-1', '', 10)).map(({ job }) => job.id)).toEqual([full[0]!.id]);
});

it('accepts new jobs again once there is room', async () => {
  const store = new MemoryJobStore({ maxBytes: 2 * kilobyte });
  await store.add([jobOf('a')]);
  await store.claim(everything);
  expect(await store.add([jobOf('a')])).toEqual({ dropped: 0 });
});

it('also counts the jobs that it drops when a claimed one returns', async () => {
  const store = new MemoryJobStore({ maxBytes: 2 * kilobyte });
  await store.add([jobOf('a')]);
  const [first] = await store.claim(everything);
  await store.add([jobOf('a')]);
  await store.retry(first!, Date.now());
  expect(await store.add([jobOf('a')])).toEqual({ dropped: 2 });
  expect(await store.add([])).toEqual({ dropped: 0 });
});

it('drops the oldest dead jobs, and no waiting one, when they fill it', async () => {
  const store = new MemoryJobStore({ maxBytes: 6 * kilobyte });
  await store.add([1, 2].map(() => jobOf('failing')));
  const dead = await store.claim(everything);
  for (const job of dead)
    await store.bury(job, { diedAt: Date.now(), reason: 'x' }, { most: 10, maxBytes: 1_000_000, keepMs: 1000 });
  expect(await store.add([1, 2].map(() => jobOf('fine')))).toEqual({ dropped: 0 });
  expect((await store.dead('app-1', '', 10)).map(({ job }) => job.id)).toEqual([dead[1]?.id]);
});

it('keeps as many bytes of dead jobs as allowed, and counts the dropped ones until all others are sent again', async () => {
  const store = new MemoryJobStore();
  const limits = { most: 10, maxBytes: 4 * kilobyte, keepMs: 1000 };
  await store.add([1, 2, 3].map(() => jobOf('failing')));
  const held = await store.claim(everything);
  for (const job of held) await store.bury(job, { diedAt: Date.now(), reason: 'x' }, limits);
  expect(await store.deadCounts('app-1')).toEqual({ kept: 2, dropped: 1 });
  const fresh = { dueAt: Date.now(), state: '' };
  expect(await store.resend('app-2', ids(held), fresh)).toBe(0);
  expect(await store.resend('app-1', ids(held.slice(1, 2)), fresh)).toBe(1);
  expect(await store.deadCounts('app-1')).toEqual({ kept: 1, dropped: 1 });
  expect(await store.resend('app-1', ids(held), fresh)).toBe(1);
  expect(await store.deadCounts('app-1')).toEqual({ kept: 0, dropped: 0 });
});

it('still counts the dropped ones of an owner that keeps none, whatever is to be sent again', async () => {
  const store = new MemoryJobStore();
  await store.add([jobOf('failing')]);
  const [job] = await store.claim(everything);
  await store.bury(job!, { diedAt: Date.now(), reason: 'x' }, { most: 0, maxBytes: 1_000_000, keepMs: 1000 });
  expect(await store.resend('app-1', [job!.id], { dueAt: Date.now(), state: '' })).toBe(0);
  expect(await store.deadCounts('app-1')).toEqual({ kept: 0, dropped: 1 });
});

it('logs drops at once, then one line in ten seconds', async () => {
  const warn = vi.mocked(Logger.prototype.warn);
  const store = new MemoryJobStore({ maxBytes: 2 * kilobyte });
  for (let count = 0; count < 51; count += 1) await store.add([jobOf('a')]);
  expect(warn).toHaveBeenCalledTimes(1);
  expect(warn.mock.lastCall?.[0]).toContain('1 dropped, last');
  vi.advanceTimersByTime(10_000);
  await store.claim(everything);
  expect(warn).toHaveBeenCalledTimes(2);
  expect(warn.mock.lastCall?.[0]).toMatch(/49 dropped, last [-0-9a-f]{36} of app-1$/);
});

it('makes the jobs of a key due earlier, claimed ones once they are released', async () => {
  const store = new MemoryJobStore();
  const now = Date.now();
  const [held, waits, other] = [jobOf('a'), { ...jobOf('a'), dueAt: now + 900 }, { ...jobOf('b'), dueAt: now + 900 }];
  await store.add([held, waits, other]);
  const [job] = await store.claim(everything);
  store.hurry('a', now + 5);
  expect(await store.claim({ ...everything, now: now + 4 })).toEqual([]);
  expect(ids(await store.claim({ ...everything, now: now + 5 }))).toEqual([waits.id]);
  await store.retry(job!, now + 900);
  expect(ids(await store.claim({ ...everything, now: now + 5 }))).toEqual([held.id]);
});

it('makes claimed jobs of other keys due when they were to be', async () => {
  const store = new MemoryJobStore();
  await store.add([jobOf('a'), jobOf('b')]);
  const [, other] = await store.claim(everything);
  store.hurry('a', Date.now());
  await store.retry(other!, Date.now() + 900);
  expect(await store.claim({ ...everything, now: Date.now() + 899 })).toEqual([]);
});

it('knows the jobs of a key, claimed or not, until it forgets them', async () => {
  const store = new MemoryJobStore();
  const [first, second, other] = [jobOf('a'), jobOf('a'), jobOf('b')];
  await store.add([first, second, other]);
  const [held] = await store.claim({ ...everything, limit: 1 });
  expect([store.has(first.id), store.isHeld(held!), ids(store.waiting('a'))]).toEqual([true, true, [second.id]]);
  expect(store.hasOthers(first)).toBe(true);
  const [, late] = await store.claim(everything);
  expect([first, second, other].map((job) => store.hasOthers(job))).toEqual([true, true, false]);
  store.forget('a');
  expect([first, second, other].map(({ id }) => store.has(id))).toEqual([false, false, true]);
  expect([store.isHeld(held!), store.ending(held!), store.waiting('a')]).toEqual([false, false, []]);
  expect([store.ending(late!), store.ending(late!), await store.size()]).toEqual([true, false, 0]);
});

it('forgets waiting jobs of a key, and no others', async () => {
  const store = new MemoryJobStore();
  const [forgotten, other] = [jobOf('a'), jobOf('b')];
  await store.add([forgotten, other]);
  store.forget('a');
  expect(ids(await store.claim(everything))).toEqual([other.id]);
});

it('cannot add jobs in a transaction of a database', async () => {
  const within = { transaction: {}, committed: () => undefined };
  await expect(new MemoryJobStore().add([jobOf('a')], within)).rejects.toThrow('within: MemoryJobStore');
});

it('refuses a limit that leaves no room', () => {
  expect(() => new MemoryJobStore({ maxBytes: 0 })).toThrow('maxBytes must be above 0, got 0');
});
