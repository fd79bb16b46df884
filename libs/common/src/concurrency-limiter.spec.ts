import { expect, it } from 'vitest';
import { ConcurrencyLimiter, type OwnerSlots } from '#common';

/** Takes all free slots; the next caller waits. */
function takeAll(slots: OwnerSlots): number {
  let count = 0;
  while (!slots.take()) count += 1;
  return count;
}

it('grants free slots synchronously', () => {
  const slots = new ConcurrencyLimiter(2).of('one');
  expect([slots.take(), slots.take()]).toEqual([undefined, undefined]);
  expect(slots.take()).toBeInstanceOf(Promise);
});

it('serves waiting callers in order', async () => {
  const slots = new ConcurrencyLimiter(1).of('one');
  expect(slots.take()).toBeUndefined();
  const served: number[] = [];
  const waiting = [1, 2, 3].map((number) => Promise.resolve(slots.take()).then(() => served.push(number)));
  for (let given = 0; given < 3; given += 1) slots.give();
  await Promise.all(waiting);
  expect(served).toEqual([1, 2, 3]);
});

it('never grants an owner more than its limit', async () => {
  const slots = new ConcurrencyLimiter(5).of('one');
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

it.each([1, 2, 5, 10, 200, 500, 1000])('gives a single owner all %i slots', (most) => {
  expect(takeAll(new ConcurrencyLimiter(most).of('one'))).toBe(most);
});

it('has slots left for others while an owner holds all of its own', () => {
  const all = new ConcurrencyLimiter(200);
  takeAll(all.of('hostile'));
  expect(takeAll(all.of('other'))).toBeGreaterThanOrEqual(20);
  expect(all.of('third').take()).toBeUndefined();
});

it('has a slot left for a new owner, however busy the others are', () => {
  const all = new ConcurrencyLimiter(200);
  const hostile = Array.from({ length: 15 }, (_, count) => all.of(`hostile ${count}`));
  for (const slots of hostile) for (let wanted = 0; wanted < 1000; wanted += 1) void slots.take();
  // Unanswered sends eventually time out.
  for (const slots of hostile) for (let ended = slots.held; ended > 0; ended -= 1) slots.give();
  expect(hostile.every(({ held }) => held >= 13)).toBe(true);
  expect(all.of('newcomer').take()).toBeUndefined();
});

it('grants all owners together no more than a ninth above the limit, and again as many later', () => {
  const all = new ConcurrencyLimiter(200);
  const many = Array.from({ length: 250 }, (_, count) => all.of(`owner ${count}`));
  const heldByAll = (): number => many.reduce((sum, { held }) => sum + held, 0);
  for (let round = 0; round < 3; round += 1) {
    for (const slots of many) for (let wanted = 0; wanted < 10; wanted += 1) void slots.take();
    expect(heldByAll()).toBe(223);
  }
  while (heldByAll() > 0) for (const slots of many) if (slots.held > 0) slots.give();
  expect(takeAll(all.of('another'))).toBe(200);
});

it('shares evenly among owners that want more than there is', async () => {
  const all = new ConcurrencyLimiter(200);
  const names = ['a', 'b', 'c'];
  const race = { isOver: false };
  const sender = async (slots: OwnerSlots) => {
    while (!race.isOver) {
      await slots.take();
      await new Promise((done) => setImmediate(done));
      slots.give();
    }
  };
  const senders = names.flatMap((name) => Array.from({ length: 300 }, () => sender(all.of(name))));
  for (let turn = 0; turn < 20; turn += 1) await new Promise((done) => setImmediate(done));
  const held = names.map((name) => all.of(name).held);
  expect(Math.max(...held) - Math.min(...held)).toBeLessThanOrEqual(1);
  expect(Math.min(...held)).toBeGreaterThanOrEqual(65);
  race.isOver = true;
  await Promise.all(senders);
  expect(takeAll(all.of('a'))).toBe(200);
});

const settled = (): Promise<void> => new Promise((resolve) => void setImmediate(resolve));

it('has the clients of an owner take turns, and keeps the order of the calls of each', async () => {
  const slots = new ConcurrencyLimiter(1).of('one');
  const order: string[] = [];
  const call = (name: string) => slots.run(async () => void order.push(name), { client: name[0]! });
  const many = Array.from({ length: 3000 }, (_, n) => call(`a${n}`));
  await Promise.all([...many, call('b0'), call('c0'), call('b1')]);
  expect(order.slice(0, 8)).toEqual(['a0', 'a1', 'b0', 'c0', 'a2', 'b1', 'a3', 'a4']);
  expect(order.filter((name) => name.startsWith('a'))).toEqual(many.map((_, n) => `a${n}`));
});

it('forgets callers that give up, wherever they wait, and gives the slot to the next', async () => {
  const all = new ConcurrencyLimiter(1);
  const [slots, other] = [all.of('one'), all.of('other')];
  expect([slots.takeNow(1), other.takeNow(1)]).toEqual([true, true]);
  const outcomes: string[] = [];
  const giveUps: ((reason: Error) => void)[] = [];
  const wait = (name: string) =>
    Promise.resolve(slots.take({ client: name[0]!, waits: (giveUp) => giveUps.push(giveUp) })).then(
      () => outcomes.push(name),
      ({ message }: Error) => outcomes.push(`${name} ${message}`),
    );
  for (const name of ['a0', 'a1', 'a2', 'b0']) void wait(name);
  for (const index of [1, 3, 0]) giveUps[index]!(new Error('left'));
  slots.give();
  await settled();
  expect(outcomes).toEqual(['a1 left', 'b0 left', 'a0 left', 'a2']);
  giveUps[2]!(new Error('too late'));
  slots.give();
  expect([slots.held, slots.take()]).toEqual([0, undefined]);
  void wait('a3');
  slots.give();
  await settled();
  expect(outcomes.slice(4)).toEqual(['a3']);
});

it('leaves no owner behind whose callers have all given up', async () => {
  const all = new ConcurrencyLimiter(1);
  const [slots, other] = [all.of('one'), all.of('other')];
  expect([slots.takeNow(1), other.takeNow(1)]).toEqual([true, true]);
  let giveUp!: (reason: Error) => void;
  const gone = Promise.resolve(slots.take({ waits: (each) => (giveUp = each) })).catch(({ message }: Error) => message);
  const served = other.take();
  giveUp(new Error('left'));
  expect(await gone).toBe('left');
  other.give();
  await served;
  expect([slots.held, other.held]).toEqual([1, 1]);
});

it('takes several slots together, or none', () => {
  const all = new ConcurrencyLimiter(10);
  const [slots, other] = [all.of('one'), all.of('other')];
  expect([slots.takeNow(11), slots.takeNow(10), slots.takeNow(1)]).toEqual([false, true, false]);
  expect([other.takeNow(3), other.takeNow(2), other.takeNow(1)]).toEqual([false, true, false]);
  slots.give(9);
  expect([slots.held, slots.given]).toEqual([1, 9]);
  expect([other.takeNow(8), other.takeNow(1)]).toEqual([true, false]);
});

it('gives a slot back when the work in it fails', async () => {
  const slots = new ConcurrencyLimiter(1).of('one');
  const [failed, next] = [slots.run(() => Promise.reject(new Error('away'))), slots.run(async () => 'next')];
  await expect(failed).rejects.toThrow('away');
  expect(await next).toBe('next');
  expect([slots.held, slots.given]).toEqual([0, 2]);
});

const turnOfTheLoop = () => new Promise((resolve) => setImmediate(resolve));

it('admits its limit in each turn of the event loop, in order', async () => {
  const turns = new ConcurrencyLimiter(2).of('one');
  const passed: number[] = [];
  const pass = async (n: number) => {
    await turns.takeTurn();
    passed.push(n);
  };
  const all = [1, 2, 3, 4, 5].map(pass);
  await Promise.resolve();
  expect(passed).toEqual([1, 2]);
  await turnOfTheLoop();
  expect(passed).toEqual([1, 2, 3, 4]);
  await Promise.all(all);
  expect(passed).toEqual([1, 2, 3, 4, 5]);
});

it('admits the next calls at once if none waits', async () => {
  const turns = new ConcurrencyLimiter(1).of('one');
  expect(turns.takeTurn()).toBeUndefined();
  await turnOfTheLoop();
  await turnOfTheLoop();
  expect(turns.takeTurn()).toBeUndefined();
});
