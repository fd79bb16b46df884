import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { MemoryRequestRates, type RequestLimit, type RequestRates } from 'rookery/channels';
import { TypeOrmPartedRequestRates, TypeOrmRequestRates } from 'rookery/typeorm';
import { describeDatabases } from '../support/databases.js';
import { describeRequestRates } from '@rookery/testing';
import { setClockBack } from '../support/set-back.js';
import { until } from '../support/until.js';
import { brokenPromises } from './broken-promises.js';
import { describeNode } from '../support/services.js';

describeNode('MemoryRequestRates', () => {
  describeRequestRates(() => new MemoryRequestRates());
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

class MixesNames extends MemoryRequestRates {
  override take(limits: readonly RequestLimit[]): number {
    return super.take(limits.map((limit) => ({ ...limit, name: 'same' })));
  }
}
class AppliesOneLimit extends MemoryRequestRates {
  override take([first]: readonly RequestLimit[]): number {
    return super.take([first!]);
  }
}
class CountsAllAnyway extends MemoryRequestRates {
  override take(limits: readonly RequestLimit[]): number {
    return Math.max(...limits.map((limit) => super.take([limit])));
  }
}
class RegainsNothing extends MemoryRequestRates {
  override take(limits: readonly RequestLimit[]): number {
    return super.take(limits.map((limit) => ({ ...limit, perSecond: 1 / 3600 })));
  }
}
class RegainsBeyondTheBurst extends MemoryRequestRates {
  override take(limits: readonly RequestLimit[]): number {
    return super.take(limits.map((limit) => (limit.perSecond < 1 ? limit : { ...limit, atOnce: 100 })));
  }
}
class AlwaysAnswersOneSecond extends MemoryRequestRates {
  override take(limits: readonly RequestLimit[]): number {
    return Math.min(1, super.take(limits));
  }
}
class CountsRequests extends MemoryRequestRates {
  override take(limits: readonly RequestLimit[]): number {
    return super.take(limits.map((limit) => ({ ...limit, count: 1 })));
  }
}
class CountsPartially extends MemoryRequestRates {
  override take([limit]: readonly RequestLimit[]): number {
    const answers = Array.from({ length: limit!.count ?? 1 }, () => super.take([{ ...limit!, count: 1 }]));
    return Math.min(0, ...answers);
  }
}
class RefusesMoreThanFit extends MemoryRequestRates {
  override take(limits: readonly RequestLimit[]): number {
    return limits.some(({ count = 1, atOnce }) => count > atOnce) ? 3600 : super.take(limits);
  }
}
class ReturnsOneOnly extends MemoryRequestRates {
  override giveBack(limits: readonly RequestLimit[]): void {
    super.giveBack(limits.map((limit) => ({ ...limit, count: 1 })));
  }
}
/** As a look-up would that is not in one step with what follows it. */
class CountsLate implements RequestRates {
  private taken = 0;
  async take([limit]: readonly RequestLimit[]): Promise<number> {
    const { taken } = this;
    await Promise.resolve();
    this.taken = taken + 1;
    return taken < limit!.atOnce ? 0 : 3600;
  }
  giveBack(): void {
    this.taken -= 1;
  }
}
/** Each try begins the wait anew. */
class ChargesRefusals implements RequestRates {
  private latest = -Infinity;
  take([limit]: readonly RequestLimit[]): number {
    const sinceMs = performance.now() - this.latest;
    this.latest = performance.now();
    return sinceMs * limit!.perSecond < 1000 ? 1 : 0;
  }
  giveBack(): void {}
}
class ReturnsNothing extends MemoryRequestRates {
  override giveBack(): void {}
}
class ReturnsTheFirstLimitOnly extends MemoryRequestRates {
  override giveBack([first]: readonly RequestLimit[]): void {
    super.giveBack([first!]);
  }
}
class ReturnsBeyondTheBurst extends MemoryRequestRates {
  private spare = 0;
  override take(limits: readonly RequestLimit[]): number {
    return this.spare-- > 0 ? 0 : super.take(limits);
  }
  override giveBack(): void {
    this.spare = Math.max(0, this.spare) + 1;
  }
}
/** As it would be when the level is read in one step and written in the next. */
class LosesConcurrentReturns implements RequestRates {
  private readonly rates = new MemoryRequestRates();
  private isGiving = false;
  take(limits: readonly RequestLimit[]): number {
    return this.rates.take(limits);
  }
  async giveBack(limits: readonly RequestLimit[]): Promise<void> {
    if (this.isGiving) return;
    this.isGiving = true;
    await Promise.resolve();
    this.rates.giveBack(limits);
    this.isGiving = false;
  }
}

describeNode('the contract of RequestRates rejects an implementation that', () => {
  // What is waited for in vain is over at once.
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  it.each([
    [MixesNames, 'counts each name separately'],
    [AppliesOneLimit, 'applies all limits in order, and counts nothing after one that is reached'],
    [CountsAllAnyway, 'applies all limits in order, and counts nothing after one that is reached'],
    [RegainsNothing, 'regains requests, each after its share of a second, up to the burst'],
    [RegainsBeyondTheBurst, 'regains requests, each after its share of a second, up to the burst'],
    [AlwaysAnswersOneSecond, 'allows a burst, then answers in whole seconds when to retry'],
    [CountsRequests, 'counts all events of a request or none, more than the burst as the burst, and returns as many'],
    [CountsPartially, 'counts all events of a request or none, more than the burst as the burst, and returns as many'],
    [
      RefusesMoreThanFit,
      'counts all events of a request or none, more than the burst as the burst, and returns as many',
    ],
    [ReturnsOneOnly, 'counts all events of a request or none, more than the burst as the burst, and returns as many'],
    [CountsLate, 'counts concurrent requests'],
    [ReturnsNothing, 'returns a request under each limit, and never exceeds the burst'],
    [ReturnsTheFirstLimitOnly, 'returns a request under each limit, and never exceeds the burst'],
    [ReturnsBeyondTheBurst, 'returns a request under each limit, and never exceeds the burst'],
    [LosesConcurrentReturns, 'counts requests that are concurrent with returned ones'],
    [ChargesRefusals, 'charges nothing for a refused request'],
  ])('%o: %s', async (Broken, promise) => {
    const broken = brokenPromises(describeRequestRates, () => new Broken(), promise);
    await vi.advanceTimersByTimeAsync(30_000);
    expect(await broken).toEqual([promise]);
  });
});
