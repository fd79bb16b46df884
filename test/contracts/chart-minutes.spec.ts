import { expect, it } from 'vitest';
import { type ChartMinute, type ChartMinutes, MemoryChartMinutes } from 'rookery/console';
import { describeChartMinutes } from 'rookery/testing';
import { TypeOrmChartMinutes } from 'rookery/typeorm';
import { describeDatabases } from '../support/databases.js';
import { describeNode } from '../support/services.js';
import { brokenPromises } from './broken-promises.js';

describeNode('MemoryChartMinutes', () => {
  describeChartMinutes(() => new MemoryChartMinutes());
});

describeDatabases('TypeOrmChartMinutes', ({ database }) => {
  describeChartMinutes(async () => {
    await database().execute('DELETE FROM rookery_chart_minutes');
    return new TypeOrmChartMinutes(database());
  });
});

class AnswersAll extends MemoryChartMinutes {
  override since(): readonly ChartMinute[] {
    return super.since(0);
  }
}
class KeepsBoth extends MemoryChartMinutes {
  private readonly every: ChartMinute[] = [];
  override keep(measured: ChartMinute): void {
    super.keep(measured);
    this.every.push(measured);
  }
  override since(minute: number): readonly ChartMinute[] {
    const left = super.since(minute).map((each) => each.minute);
    return this.every.filter((each) => left.includes(each.minute)).toSorted((a, b) => a.minute - b.minute);
  }
}
class KeepsOneProcess extends MemoryChartMinutes {
  override keep(measured: ChartMinute): void {
    super.keep({ ...measured, node: 'a' });
  }
}
class ForgetsNothing extends MemoryChartMinutes {
  private readonly every = new Map<string, ChartMinute>();
  override keep(measured: ChartMinute): void {
    this.every.set(`${measured.minute} ${measured.node}`, measured);
  }
  override since(minute: number): readonly ChartMinute[] {
    return [...this.every.values()].filter((each) => each.minute >= minute).toSorted((a, b) => a.minute - b.minute);
  }
}

const [answers, replaces, forgets] = [
  'answers what all processes measured from a minute on, the oldest first',
  'replaces what a process keeps again',
  'forgets what is older than a day, of any process',
];

describeNode('the contract of ChartMinutes rejects an implementation that', () => {
  it.each<[new () => ChartMinutes, string]>([
    [AnswersAll, answers],
    [KeepsOneProcess, answers],
    [KeepsBoth, replaces],
    [ForgetsNothing, forgets],
  ])('%o: %s', async (Broken, promise) =>
    expect(await brokenPromises(describeChartMinutes, () => new Broken(), promise)).toEqual([promise]),
  );
});
