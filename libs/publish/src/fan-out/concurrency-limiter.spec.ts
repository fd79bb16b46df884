import { expect, it } from 'vitest';
import { PlatformLimiters, type ConcurrencyLimiter } from './concurrency-limiter.js';

/** Takes all free slots; the next caller waits. */
function takeAll(slots: ConcurrencyLimiter): number {
  let count = 0;
  while (!slots.take()) count += 1;
  return count;
}

it('grants free slots synchronously', () => {
  const slots = new PlatformLimiters(2).of('one');
  expect([slots.take(), slots.take()]).toEqual([undefined, undefined]);
  expect(slots.take()).toBeInstanceOf(Promise);
});

it('serves waiting callers in order', async () => {
  const slots = new PlatformLimiters(1).of('one');
  expect(slots.take()).toBeUndefined();
  const served: number[] = [];
  const waiting = [1, 2, 3].map((number) => Promise.resolve(slots.take()).then(() => served.push(number)));
  for (let given = 0; given < 3; given += 1) slots.give();
  await Promise.all(waiting);
  expect(served).toEqual([1, 2, 3]);
});

it('never grants an instance more than its limit', async () => {
  const slots = new PlatformLimiters(5).of('one');
  let [taken, peak] = [0, 0];
  const sender = async () => {
    for (let turn = 0; turn < 200; turn += 1) {
      await slots.take();
      peak = Math.max(peak, (taken += 1));
      await Promise.resolve();
      taken -= 1;
      slots.give();
    }
  };
  await Promise.all(Array.from({ length: 50 }, sender));
  expect(peak).toBe(5);
  expect(Array.from({ length: 5 }, () => slots.take())).toEqual(Array(5).fill(undefined));
});

it.each([1, 2, 5, 10, 200, 500, 1000])('gives a single instance all %i slots', (most) => {
  expect(takeAll(new PlatformLimiters(most).of('one'))).toBe(most);
});

it('has slots left for others while an instance holds all of its own', () => {
  const platform = new PlatformLimiters(200);
  takeAll(platform.of('hostile'));
  expect(takeAll(platform.of('other'))).toBeGreaterThanOrEqual(20);
  expect(platform.of('third').take()).toBeUndefined();
});

it('has a slot left for a new instance, however busy the others are', () => {
  const platform = new PlatformLimiters(200);
  const hostile = Array.from({ length: 15 }, (_, count) => platform.of(`hostile ${count}`));
  for (const slots of hostile) for (let wanted = 0; wanted < 1000; wanted += 1) void slots.take();
  // Unanswered sends eventually time out.
  for (const slots of hostile) for (let ended = slots.held; ended > 0; ended -= 1) slots.give();
  expect(hostile.every(({ held }) => held >= 13)).toBe(true);
  expect(platform.of('newcomer').take()).toBeUndefined();
});

it('grants all instances together no more than a ninth above the limit, and again as many later', () => {
  const platform = new PlatformLimiters(200);
  const many = Array.from({ length: 250 }, (_, count) => platform.of(`instance ${count}`));
  const heldByAll = (): number => many.reduce((sum, { held }) => sum + held, 0);
  for (let round = 0; round < 3; round += 1) {
    for (const slots of many) for (let wanted = 0; wanted < 10; wanted += 1) void slots.take();
    expect(heldByAll()).toBe(223);
  }
  while (heldByAll() > 0) for (const slots of many) if (slots.held > 0) slots.give();
  expect(takeAll(platform.of('another'))).toBe(200);
});

it('shares evenly among instances that want more than there is', async () => {
  const platform = new PlatformLimiters(200);
  const names = ['a', 'b', 'c'];
  const race = { isOver: false };
  const sender = async (slots: ConcurrencyLimiter) => {
    while (!race.isOver) {
      await slots.take();
      await new Promise((done) => setImmediate(done));
      slots.give();
    }
  };
  const senders = names.flatMap((name) => Array.from({ length: 300 }, () => sender(platform.of(name))));
  for (let turn = 0; turn < 20; turn += 1) await new Promise((done) => setImmediate(done));
  const held = names.map((name) => platform.of(name).held);
  expect(Math.max(...held) - Math.min(...held)).toBeLessThanOrEqual(1);
  expect(Math.min(...held)).toBeGreaterThanOrEqual(65);
  race.isOver = true;
  await Promise.all(senders);
  expect(takeAll(platform.of('a'))).toBe(200);
});
