import { Logger } from '@nestjs/common';
import { beforeEach, expect, it, vi } from 'vitest';
import type { Connection } from 'rookery/channels';
import { AuthorizationSettings } from './authorization.options.js';
import { Refused } from './refused.js';
import { ConcurrentAuthorizations } from './concurrent-authorizations.js';

/** Work that a test ends when it wants. */
class Work {
  hasBegun = false;
  private end: (() => void) | undefined;
  private fail: ((error: Error) => void) | undefined;

  readonly run = (): Promise<void> => {
    this.hasBegun = true;
    return new Promise((resolve, reject) => ([this.end, this.fail] = [resolve, reject]));
  };

  /** Settles when those that this lets in have begun. */
  async ends(error?: Error): Promise<void> {
    if (error) this.fail!(error);
    else this.end!();
    await turn();
  }
}

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

const app = { id: 'app' };
const connection = { app, socketId: '1.1' } as Connection;

let slots: ConcurrentAuthorizations;
beforeEach(() => {
  slots = new ConcurrentAuthorizations(Object.assign(new AuthorizationSettings(), { concurrency: 2 }));
});

const works = (count: number): Work[] => Array.from({ length: count }, () => new Work());
const begun = (each: readonly Work[]): boolean[] => each.map(({ hasBegun }) => hasBegun);

it('lets all who wait in one after the other, in their order', async () => {
  const all = works(6);
  const done = all.map(({ run }) => slots.runInTurn(connection, run));
  for (let n = 0; n < all.length; n++) {
    await turn();
    expect(begun(all)).toEqual(all.map((_, i) => i < n + 2));
    await all[n]!.ends();
    await done[n];
  }
});

it('lets the next in after work that fails', async () => {
  const all = works(4);
  const done = all.map(({ run }) => slots.runInTurn(connection, run).catch((error: unknown) => error));
  const failure = new Error('the method throws');
  for (const [n, work] of all.entries()) {
    await turn();
    await work.ends(failure);
    expect(await done[n]).toBe(failure);
  }
});

it('lets as many in as the end of a large request leaves room for', async () => {
  const [large, ...all] = works(5);
  const whole = slots.run(app.id, 2, large!.run);
  const done = all.map(({ run }) => slots.runInTurn(connection, run));
  await turn();
  expect(begun(all)).toEqual([false, false, false, false]);
  await large!.ends();
  await whole;
  expect(begun(all)).toEqual([true, true, false, false]);
  for (const work of all) await work.ends();
  await Promise.all(done);
  expect(await slots.run(app.id, 2, async () => 'all are free')).toBe('all are free');
});

it('refuses what cannot wait, takes nothing for it, and runs what needs more than all slots alone', async () => {
  const [one, other] = works(2);
  const first = slots.run(app.id, 1, one!.run);
  for (const count of [2, 3]) await expect(slots.run(app.id, count, async () => {})).rejects.toBeInstanceOf(Refused);
  const second = slots.run(app.id, 1, other!.run);
  await expect(slots.run(app.id, 1, async () => {})).rejects.toMatchObject({ status: 503 });
  for (const work of [one!, other!]) await work.ends();
  await Promise.all([first, second]);
  expect(await slots.run(app.id, 3, async () => 'alone')).toBe('alone');
});

it('gives the slots of work that hangs to others, and lets nothing follow from its late end', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  Logger.overrideLogger(false);
  const [one, other, waits] = works(3);
  const hanging = [slots.run(app.id, 1, one!.run), slots.runInTurn(connection, other!.run)];
  const late = Promise.all(hanging.map((each) => expect(each).rejects.toMatchObject({ status: 503 })));
  const next = slots.runInTurn(connection, waits!.run);
  await vi.advanceTimersByTimeAsync(9_999);
  expect(waits!.hasBegun).toBe(false);
  await vi.advanceTimersByTimeAsync(1);
  await late;
  expect(waits!.hasBegun).toBe(true);
  await one!.ends();
  await other!.ends(new Error('at last'));
  await waits!.ends();
  await next;
  expect(await slots.run(app.id, 2, async () => 'all are free')).toBe('all are free');
  slots.onApplicationShutdown();
  expect(vi.getTimerCount()).toBe(0);
});
