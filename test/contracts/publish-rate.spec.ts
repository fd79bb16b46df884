import { describe, expect, it } from 'vitest';
import { MemoryPublishRate, type PublishRate } from 'rookery/publish';
import { TypeOrmPublishRate } from 'rookery/typeorm';
import { describeDatabases } from '../support/databases.js';
import { brokenPromises, itKeeps } from './contract.js';
import { publishRateContract } from './publish-rate.contract.js';

describe('MemoryPublishRate', () => {
  itKeeps(publishRateContract, () => ({ port: new MemoryPublishRate() }));
});

describeDatabases('TypeOrmPublishRate', ({ database }) => {
  const fresh = async () => {
    await database().execute('DELETE FROM rookery_publish_rates');
    return new TypeOrmPublishRate(database());
  };
  itKeeps(publishRateContract, async () => ({ port: await fresh() }));

  it('is one rate for all processes', async () => {
    const [one, other] = [await fresh(), new TypeOrmPublishRate(database())];
    const answers: number[] = [];
    for (let count = 0; count < 20; count += 1) answers.push(await (count % 2 ? one : other).take('one', 10, 1e12));
    expect(answers.filter((seconds) => seconds === 0)).toHaveLength(10);
  });
});

class MixesInstances extends MemoryPublishRate {
  override take(_instanceId: string, perSecond: number, now: number): number {
    return super.take('same', perSecond, now);
  }
}
class KnowsOneRate extends MemoryPublishRate {
  override take(instanceId: string, _perSecond: number, now: number): number {
    return super.take(instanceId, 100, now);
  }
}
class EarnsWithoutEnd extends MemoryPublishRate {
  private first?: number;
  override take(instanceId: string, perSecond: number, now: number): number {
    this.first ??= now;
    return now > this.first ? 0 : super.take(instanceId, perSecond, now);
  }
}
/** As a look-up would that is not in one transaction with what follows it. */
class CountsLate implements PublishRate {
  private taken = 0;
  async take(_instanceId: string, perSecond: number): Promise<number> {
    const { taken } = this;
    await Promise.resolve();
    this.taken = taken + 1;
    return taken < perSecond ? 0 : 1;
  }
}

describe('the contract of PublishRate rejects an implementation that', () => {
  it.each([
    [MixesInstances, 'counts each instance on its own'],
    [KnowsOneRate, 'goes by the rate of each instance'],
    [EarnsWithoutEnd, 'gives a request back after its part of a second, and never more than all'],
    [CountsLate, 'counts requests that race'],
  ])('%o: %s', async (Broken, promise) => {
    expect(await brokenPromises(publishRateContract, () => ({ port: new Broken() }))).toContain(promise);
  });
});
