import { Logger } from '@nestjs/common';
import { beforeEach, expect, it } from 'vitest';
import { settingsOf } from '#common';
import { until } from '../../../../../test/support/until.js';
import { Apps } from '../../access/apps.js';
import { ConfiguredAppRepository } from '../../access/configured-app.repository.js';
import { App } from '../../app/app.js';
import { InProcessBroker } from '../../broker/in-process.broker.js';
import { ChannelsSettings } from '../../channels.options.js';
import { KeptBytes } from '../../events/kept-bytes.js';
import { ChannelsMetrics } from '../../metrics.js';
import { MemoryReceiptRepository } from './memory-receipt.repository.js';
import type { NewReceipt } from './receipt.repository.js';
import { isReceiptOf, newReceipt, triggeredAt } from './receipt-names.js';
import { ReceiptsService } from './receipts.service.js';

const app = settingsOf(App, { id: '1', key: 'key', secret: 'secret' });
const apps = new Apps(new ConfiguredAppRepository({ apps: [app] }));
const channel = 'presence-room';

/** Fails until it is mended. */
class AwayAtFirst extends MemoryReceiptRepository {
  isAway = true;
  refused = 0;
  added = 0;
  override add(receipts: readonly NewReceipt[], maxUsers: number): readonly boolean[] {
    if (this.isAway) {
      this.refused += 1;
      throw new Error('away');
    }
    this.added += receipts.length;
    return super.add(receipts, maxUsers);
  }
}

let repository: AwayAtFirst;
let told: string[];
let service: ReceiptsService;
beforeEach(() => {
  Logger.overrideLogger(false);
  repository = new AwayAtFirst();
  told = [];
  const webhooks = { emit: (_: App, event: object) => told.push(Object.values(event).join(' ')) };
  const settings = settingsOf(ChannelsSettings, {});
  const kept = new KeptBytes(settings, new ChannelsMetrics(), new InProcessBroker());
  service = new ReceiptsService(apps, repository, webhooks as never, settings, kept);
});
const usersOf = async (receipt: string) =>
  (await service.find(app, receipt, { limit: 1000 })).receipts.map(({ user_id }) => user_id);

it('stores what the repository has refused once it is back, and tells of each once', async () => {
  const receipt = newReceipt(app, channel, Date.now());
  service.note(app, { channel, receipt, userId: 'alice', isShown: false });
  await until(() => repository.refused > 0, 'it has been refused');
  service.note(app, { channel, receipt, userId: 'bob', isShown: true });
  service.note(app, { channel, receipt, userId: 'bob', isShown: false });
  expect([await usersOf(receipt), told]).toEqual([[], []]);
  repository.isAway = false;
  await until(() => told.length === 2, 'both are told of');
  expect(await usersOf(receipt)).toEqual(['alice', 'bob']);
  const of = (user: string, seen: string) => `event_seen ${channel} ${user} ${receipt} ${seen}`;
  expect(told).toEqual([of('alice', 'received'), of('bob', 'shown')]);
});

it('waits with 100,000 receipts at most, the latest', async () => {
  const receipt = newReceipt(app, channel, Date.now());
  for (let n = 0; n < 150_000; n++)
    service.note(app, { channel, receipt, userId: n < 149_990 ? 'early' : `late ${n}`, isShown: false });
  repository.isAway = false;
  const late = async () => (await usersOf(receipt)).filter((user) => user.startsWith('late'));
  await until(async () => (await late()).length === 10, 'the latest are stored');
  expect(repository.added).toBeGreaterThan(98_000);
  expect(repository.added).toBeLessThanOrEqual(100_000);
});

it('stores nothing of an event that is too old to be kept', async () => {
  repository.isAway = false;
  const [old, fresh] = [newReceipt(app, channel, Date.now() - 86_400_001), newReceipt(app, channel, Date.now())];
  for (const receipt of [old, fresh]) service.note(app, { channel, receipt, userId: 'alice', isShown: false });
  await until(() => told.length > 0, 'the fresh one is told of');
  expect([repository.added, told]).toEqual([1, [`event_seen ${channel} alice ${fresh} received`]]);
  await expect(usersOf(old)).rejects.toThrow('no longer kept');
});

it('keeps receipts for no longer than the settings say, and none of a future event', async () => {
  repository.isAway = false;
  const kept: number[] = [];
  const add = repository.add.bind(repository);
  repository.add = (receipts, maxUsers) => (
    kept.push(...receipts.map(({ keepMs }) => keepMs)),
    add(receipts, maxUsers)
  );
  const far = newReceipt(app, channel, 2 ** 48 - 1);
  const [ahead, fresh] = [newReceipt(app, channel, Date.now() + 3_600_000), newReceipt(app, channel, Date.now())];
  expect([far, ahead].map((each) => isReceiptOf(app, channel, each, Date.now()))).toEqual([false, true]);
  for (const receipt of [far, ahead, fresh]) service.note(app, { channel, receipt, userId: 'alice', isShown: false });
  await until(() => told.length === 2, 'those of a clock that is ahead, and of a right one');
  expect(kept).toHaveLength(2);
  for (const keepMs of kept) expect(keepMs).toBeLessThanOrEqual(86_400_000);
  await expect(usersOf(far)).rejects.toThrow('no longer kept');
});

/** The three others that have the same bytes. */
const othersOf = (receipt: string): string[] => {
  const bytes = Buffer.from(receipt, 'base64url');
  const all = [...'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_'].map(
    (last) => receipt.slice(0, -1) + last,
  );
  return all.filter((each) => each !== receipt && Buffer.from(each, 'base64url').equals(bytes));
};

it('a receipt is good for its app and channel, and for all valid secrets', () => {
  const now = Date.now();
  const receipt = newReceipt(app, channel, now);
  expect([isReceiptOf(app, channel, receipt, now), triggeredAt(receipt, now)]).toEqual([true, now]);
  const rotated = settingsOf(App, { id: '1', key: 'key', secret: 'new', keys: [{ key: 'key', secret: 'secret' }] });
  const expired = { ...rotated, keys: [{ key: 'key', secret: 'secret', validUntil: '2026-01-01T00:00:00Z' }] };
  expect(isReceiptOf(rotated, channel, receipt, now)).toBe(true);
  expect(isReceiptOf(expired, channel, receipt, now)).toBe(false);
  expect(isReceiptOf(app, 'presence-other', receipt, now)).toBe(false);
  expect(isReceiptOf({ ...app, id: '2' }, channel, receipt, now)).toBe(false);
  for (const other of [
    '',
    'A'.repeat(43),
    `${receipt.slice(0, -1)}${receipt.endsWith('A') ? 'E' : 'A'}`,
    `${receipt}AAAA`,
    `${receipt}${' '.repeat(130_000)}`,
    ...othersOf(receipt),
  ])
    expect(isReceiptOf(app, channel, other, now)).toBe(false);
  expect(triggeredAt('short', now)).toBeUndefined();
});
