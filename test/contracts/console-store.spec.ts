import { expect, it } from 'vitest';
import { type ChartMinute, MemoryConsoleStore, type TraceBlock } from '@rookery/console';
import { type KeptHealth, keptHealths, keptTraceCharacters, keptTraceMs } from '#common';
import { describeConsoleStore } from '@rookery/testing';
import { TypeOrmConsoleStore } from 'rookery/typeorm';
import { describeDatabases } from '../support/databases.js';
import { describeBrokenDoubles } from './broken-doubles.js';
import { describeNode } from '../support/services.js';

const inMemory = () => new MemoryConsoleStore();

describeNode('MemoryConsoleStore', () => {
  describeConsoleStore(inMemory);
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

describeBrokenDoubles('ConsoleStore', describeConsoleStore, inMemory, (right, double) => ({
  'finds only sessions that were begun': [
    double('finds all', { hasSession: () => true }),
    // As a collation would that does not tell them apart.
    double('ignores case', {
      beginSession: (name, seconds) => right.beginSession(name.toLowerCase(), seconds),
      hasSession: (name) => right.hasSession(name.toLowerCase()),
    }),
  ],
  'ends one session, even if repeated, and keeps the others': [
    double('ends none', { endSession: () => {} }),
    double('ends all', { endSession: () => void Object.assign(right, inMemory()) }),
  ],
  'ends each session when its own time is over': double('never expires', {
    beginSession: (name) => right.beginSession(name, 1e6),
  }),
  'renews the time of a session that is begun again': double('keeps the first time', {
    beginSession: (name, seconds) => (right.hasSession(name) ? undefined : right.beginSession(name, seconds)),
  }),
  'answers what all processes measured from a minute on, the oldest first': [
    double('answers all', { minutesSince: () => right.minutesSince(0) }),
    double('keeps one process', { keepMinute: (measured) => right.keepMinute({ ...measured, node: 'a' }) }),
  ],
  'replaces what a process keeps again': double('keeps both', (every: ChartMinute[] = []) => ({
    keepMinute(measured) {
      right.keepMinute(measured);
      every.push(measured);
    },
    minutesSince(minute) {
      const left = right.minutesSince(minute).map((each) => each.minute);
      return every.filter((each) => left.includes(each.minute)).toSorted((a, b) => a.minute - b.minute);
    },
  })),
  'forgets what is older than a day, of any process': [
    double('forgets nothing', (every = new Map<string, ChartMinute>()) => ({
      keepMinute: (measured) => void every.set(`${measured.minute} ${measured.node}`, measured),
      minutesSince: (minute) =>
        [...every.values()].filter((each) => each.minute >= minute).toSorted((a, b) => a.minute - b.minute),
    })),
  ],
}));

const latestFirst = (a: TraceBlock, b: TraceBlock) => b.until - a.until || (a.node < b.node ? 1 : -1);

/** Keeps traces as promised. */
class KeepsTraces extends MemoryConsoleStore {
  override readonly keepsTraces = true;
  traces: TraceBlock[] = [];
  override async keepTrace(block: TraceBlock): Promise<void> {
    const all = [...this.traces, block].toSorted(latestFirst);
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

const keepingTraces = () => new KeepsTraces();

describeNode('A ConsoleStore that keeps traces', () => {
  describeConsoleStore(keepingTraces);
});

describeBrokenDoubles('ConsoleStore, with traces,', describeConsoleStore, keepingTraces, (right, double) => ({
  'answers blocks of traces, if it keeps them, by their ends, the latest first, page by page, for a day': [
    double('answers the same page', { traceBlocks: (_, limit) => right.traceBlocks(undefined, limit) }),
    double('answers the oldest first', { traceBlocks: async (_, limit) => right.traces.toReversed().slice(0, limit) }),
    double('forgets gaps', { keepTrace: (block) => right.keepTrace({ ...block, hasGap: false }) }),
    double('keeps traces for ever', {
      async keepTrace(block) {
        right.traces = [block, ...right.traces].toSorted(latestFirst);
      },
    }),
  ],
  'keeps so many characters of traces, the latest': 'keeps traces for ever',
}));

/** Keeps healths as promised. */
class KeepsHealths extends MemoryConsoleStore {
  override readonly keepsHealths = true;
  readonly kept = new Map<string, KeptHealth>();
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

const keepingHealths = () => new KeepsHealths();

describeNode('A ConsoleStore that keeps how endpoints answered', () => {
  describeConsoleStore(keepingHealths);
});

describeBrokenDoubles('ConsoleStore, with healths,', describeConsoleStore, keepingHealths, (right, double) => ({
  'answers how each endpoint answered last, if it keeps that, whoever kept it first': [
    double('keeps earlier attempts', {
      keepHealth: async (health) => void right.kept.set(`${health.owner} ${health.url}`, health),
    }),
    double('mixes owners', { keepHealth: (health) => right.keepHealth({ ...health, owner: '1' }) }),
  ],
  'keeps about so many endpoints, those that were tried last': double('keeps all endpoints', {
    async keepHealth(health) {
      const key = `${health.owner} ${health.url}`;
      if (health.at >= (right.kept.get(key)?.at ?? 0)) right.kept.set(key, health);
    },
  }),
}));
