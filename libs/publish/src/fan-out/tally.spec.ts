import { expect, it } from 'vitest';
import type { DeviceAddress } from 'rookery/push-device';
import { newPartition } from '../outbox/partition.js';
import { PageOutcome } from './page-outcome.js';
import { tally } from './tally.js';

const news = { interests: ['news'] };
const of = (id: string, userId?: string) => ({ id, ...(userId !== undefined && { userId }) }) as DeviceAddress;
const deferred = (...reasons: string[]) => reasons.map((reason, n) => ({ device: of(`later ${n}`), reason }));

it('adds up the devices of all pages, and the reasons why they failed', () => {
  const page = new PageOutcome();
  page.sent.push(of('a'), of('b'));
  page.failed.push({ device: of('c'), reason: 'x' }, { device: of('d'), reason: 'y' });
  const first = tally(newPartition('fcm', 0), page, news);
  expect(first).toEqual({ ...newPartition('fcm', 0), sent: 2, failed: { x: 1, y: 1 } });
  expect(tally(first, page, news)).toMatchObject({ sent: 4, failed: { x: 2, y: 2 } });
});

it('marks each user with the best outcome of their devices', () => {
  const page = new PageOutcome();
  page.sent.push(of('a', 'alice'));
  page.failed.push({ device: of('b', 'alice'), reason: 'x' }, { device: of('c', 'bob'), reason: 'x' });
  const users = ['alice', 'bob', 'carol'];
  expect(tally(newPartition('fcm', 3), page, { users }).users).toBe('df-');
});

it('counts the reasons beyond the 50th as other, and goes on counting the first ones', () => {
  const page = new PageOutcome();
  for (let n = 0; n < 53; n++) page.failed.push({ device: of(`${n}`), reason: `reason ${n}` });
  page.failed.push({ device: of('again'), reason: 'reason 7' });
  const { failed } = tally(newPartition('fcm', 0), page, news);
  expect(Object.keys(failed)).toHaveLength(51);
  expect(failed).toMatchObject({ 'reason 0': 1, 'reason 7': 2, 'reason 49': 1, other: 3 });
});

it('keeps why most devices of the last deferred ones wait', () => {
  const page = new PageOutcome();
  page.later.push(...deferred('Busy', 'Slow', 'Slow'));
  const waiting = tally(newPartition('fcm', 0), page, news);
  expect(waiting.deferral).toBe('Slow');
  expect(tally(waiting, new PageOutcome(), news).deferral).toBe('Slow');
  expect(tally(newPartition('fcm', 0), new PageOutcome(), news)).not.toHaveProperty('deferral');
});
