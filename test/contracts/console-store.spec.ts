import { afterEach, expect, it, vi } from 'vitest';
import { type ChartMinute, type ConsoleStore, MemoryConsoleStore, type TraceBlock } from '@rookery/console';
import { type KeptHealth, keptHealths, keptTraceCharacters, keptTraceMs } from '#common';
import { describeConsoleStore } from '@rookery/testing';
import { TypeOrmConsoleStore } from 'rookery/typeorm';
import { describeDatabases } from '../support/databases.js';
import { brokenPromises } from './broken-promises.js';
import { describeNode } from '../support/services.js';

describeNode('MemoryConsoleStore', () => {
  describeConsoleStore(() => new MemoryConsoleStore());
});

describeDatabases('TypeOrmConsoleStore', ({ database }) => {
  const fresh = async () => {
    for (const table of ['sign_ins', 'chart_minutes', 'trace_blocks', 'endpoint_healths'])
      await database().execute(`DELETE FROM rookery_${table}`);
    return new TypeOrmConsoleStore(database());
  };
  describeConsoleStore(fresh);

  it('is shared by all processes, and keeps no expired rows', async () => {
    const [one, other] = [await fresh(), new TypeOrmConsoleStore(database())];
    await one.beginSession('over', 0);
    await one.beginSession('session', 60);
    expect(await other.hasSession('session')).toBe(true);
    await other.endSession('session');
    expect(await one.hasSession('session')).toBe(false);
    expect(await database().read('SELECT name FROM rookery_sign_ins')).toEqual([]);
  });
});

class FindsAll extends MemoryConsoleStore {
  override hasSession(): boolean {
    return true;
  }
}
class EndsNone extends MemoryConsoleStore {
  override endSession(): void {}
}
class EndsAll extends MemoryConsoleStore {
  override endSession(): void {
    Object.assign(this, new MemoryConsoleStore());
  }
}
class NeverExpires extends MemoryConsoleStore {
  override beginSession(name: string): void {
    super.beginSession(name, 1e6);
  }
}
class KeepsTheFirstTime extends MemoryConsoleStore {
  override beginSession(name: string, seconds: number): void {
    if (!this.hasSession(name)) super.beginSession(name, seconds);
  }
}
/** As a collation would that does not tell them apart. */
class IgnoresCase extends MemoryConsoleStore {
  override beginSession(name: string, seconds: number): void {
    super.beginSession(name.toLowerCase(), seconds);
  }
  override hasSession(name: string): boolean {
    return super.hasSession(name.toLowerCase());
  }
}

class AnswersAll extends MemoryConsoleStore {
  override minutesSince(): readonly ChartMinute[] {
    return super.minutesSince(0);
  }
}
class KeepsBoth extends MemoryConsoleStore {
  private readonly every: ChartMinute[] = [];
  override keepMinute(measured: ChartMinute): void {
    super.keepMinute(measured);
    this.every.push(measured);
  }
  override minutesSince(minute: number): readonly ChartMinute[] {
    const left = super.minutesSince(minute).map((each) => each.minute);
    return this.every.filter((each) => left.includes(each.minute)).toSorted((a, b) => a.minute - b.minute);
  }
}
class KeepsOneProcess extends MemoryConsoleStore {
  override keepMinute(measured: ChartMinute): void {
    super.keepMinute({ ...measured, node: 'a' });
  }
}
class ForgetsNothing extends MemoryConsoleStore {
  private readonly every = new Map<string, ChartMinute>();
  override keepMinute(measured: ChartMinute): void {
    this.every.set(`${measured.minute} ${measured.node}`, measured);
  }
  override minutesSince(minute: number): readonly ChartMinute[] {
    return [...this.every.values()].filter((each) => each.minute >= minute).toSorted((a, b) => a.minute - b.minute);
  }
}

/** Keeps traces as promised. */
class KeepsTraces extends MemoryConsoleStore {
  override readonly keepsTraces = true;
  protected traces: TraceBlock[] = [];
  override async keepTrace(block: TraceBlock): Promise<void> {
    const all = [...this.traces, block].toSorted((a, b) => b.until - a.until || (a.node < b.node ? 1 : -1));
    let characters = 0;
    this.traces = all.filter(
      ({ until, text }) =>
        until > block.until - keptTraceMs && (characters += text.length) <= keptTraceCharacters + text.length,
    );
  }
  override async traceBlocks(before: TraceBlock | undefined, limit: number): Promise<readonly TraceBlock[]> {
    const from = before
      ? this.traces.findIndex(({ until, node }) => until === before.until && node === before.node) + 1
      : 0;
    return this.traces.slice(from, from + limit);
  }
}
class AnswersTheSamePage extends KeepsTraces {
  override traceBlocks(_before: TraceBlock | undefined, limit: number) {
    return super.traceBlocks(undefined, limit);
  }
}
class AnswersTheOldestFirst extends KeepsTraces {
  override async traceBlocks(_before: TraceBlock | undefined, limit: number) {
    return this.traces.toReversed().slice(0, limit);
  }
}
class ForgetsGaps extends KeepsTraces {
  override keepTrace(block: TraceBlock) {
    return super.keepTrace({ ...block, hasGap: false });
  }
}
class KeepsTracesForEver extends KeepsTraces {
  override async keepTrace(block: TraceBlock): Promise<void> {
    this.traces = [block, ...this.traces].toSorted((a, b) => b.until - a.until || (a.node < b.node ? 1 : -1));
  }
}

describeNode('A ConsoleStore that keeps traces', () => {
  describeConsoleStore(() => new KeepsTraces());
});

/** Keeps healths as promised. */
class KeepsHealths extends MemoryConsoleStore {
  override readonly keepsHealths = true;
  protected readonly kept = new Map<string, KeptHealth>();
  override async keepHealth(health: KeptHealth): Promise<void> {
    const key = `${health.owner} ${health.url}`;
    if (health.at < (this.kept.get(key)?.at ?? 0)) return;
    this.kept.delete(key);
    this.kept.set(key, health);
    if (this.kept.size > keptHealths) this.kept.delete(this.kept.keys().next().value!);
  }
  override async healths(): Promise<readonly KeptHealth[]> {
    return [...this.kept.values()];
  }
}
class KeepsEarlierAttempts extends KeepsHealths {
  override async keepHealth(health: KeptHealth): Promise<void> {
    this.kept.set(`${health.owner} ${health.url}`, health);
  }
}
class MixesOwners extends KeepsHealths {
  override keepHealth(health: KeptHealth): Promise<void> {
    return super.keepHealth({ ...health, owner: '1' });
  }
}
class KeepsAllEndpoints extends KeepsHealths {
  override async keepHealth(health: KeptHealth): Promise<void> {
    const key = `${health.owner} ${health.url}`;
    if (health.at >= (this.kept.get(key)?.at ?? 0)) this.kept.set(key, health);
  }
}

describeNode('A ConsoleStore that keeps how endpoints answered', () => {
  describeConsoleStore(() => new KeepsHealths());
});

const [healths, latest] = [
  'answers how each endpoint answered last, if it keeps that, whoever kept it first',
  'keeps about so many endpoints, those that were tried last',
];

const traces = 'answers blocks of traces, if it keeps them, by their ends, the latest first, page by page, for a day';

const [answers, replaces, forgets] = [
  'answers what all processes measured from a minute on, the oldest first',
  'replaces what a process keeps again',
  'forgets what is older than a day, of any process',
];

describeNode('the contract of ConsoleStore rejects an implementation that', () => {
  afterEach(() => void vi.useRealTimers());

  it.concurrent.each<[new () => ConsoleStore, string]>([
    [FindsAll, 'finds only sessions that were begun'],
    [IgnoresCase, 'finds only sessions that were begun'],
    [EndsNone, 'ends one session, even if repeated, and keeps the others'],
    [EndsAll, 'ends one session, even if repeated, and keeps the others'],
    [NeverExpires, 'ends each session when its own time is over'],
    [KeepsTheFirstTime, 'renews the time of a session that is begun again'],
    [AnswersAll, answers],
    [KeepsOneProcess, answers],
    [KeepsBoth, replaces],
    [ForgetsNothing, forgets],
    [AnswersTheSamePage, traces],
    [AnswersTheOldestFirst, traces],
    [ForgetsGaps, traces],
    [KeepsTracesForEver, traces],
    [KeepsTracesForEver, 'keeps so many characters of traces, the latest'],
    [KeepsEarlierAttempts, healths],
    [MixesOwners, healths],
    [KeepsAllEndpoints, latest],
  ])('%o: %s', async (Broken, promise) => {
    // What is broken is waited for in vain.
    vi.useFakeTimers();
    const broken = brokenPromises(describeConsoleStore, () => new Broken(), promise);
    await vi.advanceTimersByTimeAsync(15_000);
    expect(await broken).toEqual([promise]);
  });
});
