import { expect, it, vi } from 'vitest';
import { MemoryRequestRates } from 'rookery/channels';
import { TypeOrmPartedRequestRates, TypeOrmRequestRates } from 'rookery/typeorm';
import { describeDatabases } from '../support/databases.js';
import { describeRequestRates } from '@rookery/testing';
import { setClockBack } from '../support/set-back.js';
import { until } from '../support/until.js';
import { describeBrokenDoubles, eachWith } from './broken-doubles.js';
import { describeNode } from '../support/services.js';

const inMemory = () => new MemoryRequestRates();

describeNode('MemoryRequestRates', () => {
  describeRequestRates(inMemory);
});

describeDatabases('TypeOrmRequestRates', ({ database }) => {
  const fresh = async () => {
    await database().execute('DELETE FROM rookery_request_rates');
    return new TypeOrmRequestRates(database());
  };
  describeRequestRates(fresh);

  it('is one rate for all processes', async () => {
    const [one, other] = [await fresh(), new TypeOrmRequestRates(database())];
    const answers: number[] = [];
    for (let count = 0; count < 20; count += 1)
      answers.push(await (count % 2 ? one : other).take([{ name: 'one', perSecond: 0.001, atOnce: 10 }]));
    expect(answers.filter((seconds) => seconds === 0)).toHaveLength(10);
  });

  it('does not mind a process whose clock is behind', async () => {
    const rates = await fresh();
    const limit = { name: 'one', perSecond: 1, atOnce: 1 };
    const at = (now: number) => {
      const clock = vi.spyOn(Date, 'now').mockReturnValue(now);
      return rates.take([limit]).finally(() => clock.mockRestore());
    };
    expect([await at(10_000), await at(5000), await at(11_000)]).toEqual([0, 1, 0]);
  });

  it('leaves no row of a name that has all of its requests again', async () => {
    const rates = await fresh();
    const names = async () =>
      (await database().read<{ name: string }>('SELECT name FROM rookery_request_rates')).map(({ name }) => name);
    await rates.take([{ name: 'address 1', perSecond: 1, atOnce: 5 }]);
    await rates.take([{ name: 'spent', perSecond: 0.001, atOnce: 5 }]);
    for (const clock of [Date, performance]) vi.spyOn(clock, 'now').mockReturnValue(clock.now() + 200_000);
    await rates.take([{ name: 'address 2', perSecond: 1, atOnce: 5 }]);
    vi.restoreAllMocks();
    await until(async () => !(await names()).includes('address 1'), 'the first is forgotten');
    expect((await names()).toSorted()).toEqual(['address 2', 'spent']);
  });

  it('refuses nothing for an hour after the clock was set back by one', async () => {
    const rates = await fresh();
    const limit = { name: 'one', perSecond: 0.001, atOnce: 2 };
    expect([await rates.take([limit]), await rates.take([limit])]).toEqual([0, 0]);
    setClockBack();
    expect([await rates.take([limit]), await rates.take([limit])]).toEqual([0, 0]);
    expect(await rates.take([limit])).toBe(1000);
    vi.restoreAllMocks();
  });
});

describeDatabases('TypeOrmPartedRequestRates', ({ database }) => {
  const fresh = async () => {
    await database().execute('DELETE FROM rookery_request_rates');
    return new TypeOrmPartedRequestRates(database());
  };
  describeRequestRates(fresh);

  const limit = { name: 'one', perSecond: 0.001, atOnce: 200 };
  const rows = async () =>
    (await database().read<{ name: string }>('SELECT name FROM rookery_request_rates')).map(({ name }) => name);

  it('skips rare callers, and asks for many at once', async () => {
    const rates = await fresh();
    for (let count = 0; count < 10; count += 1) expect(await rates.take([limit])).toBe(0);
    expect(await rows()).toEqual([]);
    const execute = vi.spyOn(database(), 'execute');
    const answers = await Promise.all(Array.from({ length: 250 }, () => rates.take([limit])));
    expect(answers.filter((seconds) => seconds === 0)).toHaveLength(190);
    expect(execute).toHaveBeenCalledTimes(20);
    execute.mockRestore();
    expect(await rows()).toEqual(['one']);
  });

  it('is one rate for all processes, and a twentieth more for each further one', async () => {
    const processes = [await fresh(), new TypeOrmPartedRequestRates(database())];
    const answers: number[] = [];
    for (let count = 0; count < 250; count += 1) answers.push(await processes[count % 2]!.take([limit]));
    expect(answers.filter((seconds) => seconds === 0)).toHaveLength(210);
  });

  it('forgets names that have all of their requests again', async () => {
    const rates = await fresh();
    const quick = { name: 'quick', perSecond: 20, atOnce: 200 };
    const useUp = async (of: typeof quick) => {
      for (let count = 0; count < 11; count += 1) await rates.take([of]);
    };
    await useUp(quick);
    expect(await rows()).toEqual(['quick']);
    for (const clock of [Date, performance]) vi.spyOn(clock, 'now').mockReturnValue(clock.now() + 200_000);
    await useUp({ ...quick, name: 'other' });
    vi.restoreAllMocks();
    await until(async () => (await rows()).join() === 'other', 'the first is forgotten');
  });
});

describeBrokenDoubles('RequestRates', describeRequestRates, inMemory, (right, double) => ({
  'counts each name separately': double('mixes names', {
    take: (limits) => right.take(eachWith(limits, { name: 'same' })),
  }),
  'applies all limits in order, and counts nothing after one that is reached': [
    double('applies one limit', { take: ([first]) => right.take([first!]) }),
    double('counts all anyway', { take: (limits) => Math.max(...limits.map((limit) => right.take([limit]))) }),
  ],
  'regains requests, each after its share of a second, up to the burst': [
    double('regains nothing', { take: (limits) => right.take(eachWith(limits, { perSecond: 1 / 3600 })) }),
    double('regains beyond the burst', {
      take: (limits) => right.take(limits.map((limit) => (limit.perSecond < 1 ? limit : { ...limit, atOnce: 100 }))),
    }),
  ],
  'allows a burst, then answers in whole seconds when to retry': double('always answers one second', {
    take: (limits) => Math.min(1, right.take(limits)),
  }),
  'counts all events of a request or none, more than the burst as the burst, and returns as many': [
    double('counts requests', { take: (limits) => right.take(eachWith(limits, { count: 1 })) }),
    double('counts partially', {
      take([limit]) {
        const answers = Array.from({ length: limit!.count ?? 1 }, () => right.take([{ ...limit!, count: 1 }]));
        return Math.min(0, ...answers);
      },
    }),
    double('refuses more than fit', {
      take: (limits) => (limits.some(({ count = 1, atOnce }) => count > atOnce) ? 3600 : right.take(limits)),
    }),
    double('returns one only', { giveBack: (limits) => right.giveBack(eachWith(limits, { count: 1 })) }),
  ],
  // As a look-up would that is not in one step with what follows it.
  'counts concurrent requests': double('counts late', (counted = 0) => ({
    async take([limit]) {
      const taken = counted;
      await Promise.resolve();
      counted = taken + 1;
      return taken < limit!.atOnce ? 0 : 3600;
    },
    giveBack: () => void (counted -= 1),
  })),
  'returns a request under each limit, and never exceeds the burst': [
    double('returns nothing', { giveBack: () => {} }),
    double('returns the first limit only', { giveBack: ([first]) => right.giveBack([first!]) }),
    double('returns beyond the burst', (spare = 0) => ({
      take: (limits) => (spare-- > 0 ? 0 : right.take(limits)),
      giveBack: () => void (spare = Math.max(0, spare) + 1),
    })),
  ],
  // As it would be when the level is read in one step and written in the next.
  'counts requests that are concurrent with returned ones': double('loses concurrent returns', (isGiving = false) => ({
    async giveBack(limits) {
      if (isGiving) return;
      isGiving = true;
      await Promise.resolve();
      right.giveBack(limits);
      isGiving = false;
    },
  })),
  // Each try begins the wait anew.
  'charges nothing for a refused request': double('charges refusals', (latest = -Infinity) => ({
    take([limit]) {
      const sinceMs = performance.now() - latest;
      latest = performance.now();
      return sinceMs * limit!.perSecond < 1000 ? 1 : 0;
    },
    giveBack: () => {},
  })),
}));
