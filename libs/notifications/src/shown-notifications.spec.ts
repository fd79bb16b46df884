import { Logger } from '@nestjs/common';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { ShownNotifications } from './shown-notifications.js';
import type { NotificationRepository } from './store/notification.repository.js';

/** Records in the order of their arrival; while it is away, it fails. */
class Storage {
  readonly records: string[] = [];
  calls = 0;
  /** The most that were asked for at the same time. */
  most = 0;
  isAway = false;
  /** Until it resolves, nothing is recorded. */
  gate: Promise<unknown> = Promise.resolve();
  private underWay = 0;

  async shown(appId: string, id: string): Promise<void> {
    this.calls++;
    this.most = Math.max(this.most, ++this.underWay);
    await this.gate;
    this.underWay--;
    if (this.isAway) throw new Error('away');
    this.records.push(`${appId} ${id}`);
  }
}

let storage: Storage;
let shown: ShownNotifications;
beforeEach(() => {
  vi.spyOn(Logger.prototype, 'warn').mockReturnValue();
  storage = new Storage();
  shown = new ShownNotifications(storage as unknown as NotificationRepository);
});
afterEach(() => void vi.restoreAllMocks());

it('says that one was shown once that is recorded, so that no push can follow', async () => {
  let open = (): void => {};
  storage.gate = new Promise<void>((resolve) => (open = resolve));
  shown.add('app', 'n1');
  const asked = shown.stored('app', 'n1').then((isShown) => ({ isShown, records: [...storage.records] }));
  open();
  const { isShown, records } = await asked;
  expect([isShown, records.includes('app n1')]).toEqual([true, true]);
});

it('does not say so while that cannot be recorded, and records it when the storage is back', async () => {
  storage.isAway = true;
  shown.add('app', 'n1');
  await expect(shown.stored('app', 'n1')).rejects.toThrow('away');
  storage.isAway = false;
  await expect.poll(() => storage.records).toEqual(['app n1']);
  expect(await shown.stored('app', 'n1')).toBe(false);
});

it('knows the same id in two apps as two', async () => {
  storage.isAway = true;
  shown.add('app', 'n1');
  expect(await shown.stored('app 2', 'n1')).toBe(false);
  storage.isAway = false;
  await expect.poll(() => storage.records).toEqual(['app n1']);
});

it('records fifty at once, but while the storage is away it tries with one alone', async () => {
  storage.isAway = true;
  for (let n = 0; n < 200; n++) shown.add('app', `n${n}`);
  await expect.poll(() => storage.calls).toBeGreaterThanOrEqual(3);
  expect(storage.most).toBe(1);
  storage.isAway = false;
  await expect.poll(() => storage.records.length).toBe(200);
  expect(storage.most).toBe(50);
});
