import { expect, it } from 'vitest';
import { MemoryConsoleStore } from 'rookery/internal/common';
import { chartsOf } from './charts.js';
import { Minutes } from './minutes.js';
import type { Sample } from '../watch/samples.js';

const minute = 29_000_000;
const none: Sample = { connections: 0, triggers: 0, messages: 0, webhooksFailed: 0, closedAsSlow: 0, errors: 0 };
const at = (minutes: number): number => (minute + minutes) * 60_000 + 5000;

/** A process that begins at that minute, with its samples by step. */
function processOf(id: string, store: MemoryConsoleStore, samples: Map<number, Sample>, begun = 0): Minutes {
  const minutes = new Minutes({ of: () => [...samples] }, store, { id });
  Object.assign(minutes, { kept: minute + begun - 1 });
  return minutes;
}

const stepsOf = (minutes: number, sample: Partial<Sample>, count = 6) =>
  Array.from({ length: count }, (_, n) => [(minute + minutes) * 6 + n, { ...none, ...sample }] as const);

it('draws the hour before a restart as the process that ended had kept it', async () => {
  const store = new MemoryConsoleStore();
  const before = processOf(
    'before',
    store,
    new Map([...stepsOf(0, { triggers: 12 }), ...stepsOf(1, { triggers: 6 }, 3)]),
  );
  await before.keep(at(1));
  await before.keep(at(2));
  const after = processOf('after', store, new Map(stepsOf(3, { triggers: 1 })), 3);
  const now = at(3) + 50_000;
  const line = await after.stepsWithout(new Set(['after']), now);
  const { triggers } = chartsOf(['triggers'], [line, stepsOf(3, { triggers: 1 })], now).series;
  expect(triggers!.slice(-24)).toEqual([
    ...Array.from({ length: 6 }, () => 12),
    ...Array.from({ length: 6 }, () => 6),
    ...Array.from({ length: 6 }, () => null),
    ...Array.from({ length: 6 }, () => 1),
  ]);
});

it('counts a process once, however often it keeps, and not while it answers itself', async () => {
  const store = new MemoryConsoleStore();
  const one = processOf('one', store, new Map(stepsOf(0, { connections: 3 })));
  await one.keep(at(1));
  await one.keep(at(1));
  const two = processOf('two', store, new Map(stepsOf(0, { connections: 4 })));
  await two.keep(at(1));
  expect(await two.stepsWithout(new Set(['one', 'two']), at(1))).toEqual([]);
  const day = chartsOf(['connections'], [await two.lastMinutes(1440, at(1))], at(0), { stepSeconds: 60, steps: 1440 });
  expect(day.series['connections']!.slice(-2)).toEqual([null, 7]);
  expect(day.series['connections']).toHaveLength(1440);
});

it('goes on when the store is away for a minute', async () => {
  const store = new MemoryConsoleStore();
  const { keepMinute } = store;
  const one = processOf('one', store, new Map([...stepsOf(0, {}), ...stepsOf(1, {})]));
  store.keepMinute = () => {
    throw new Error('away');
  };
  await one.keep(at(1));
  store.keepMinute = keepMinute;
  await one.keep(at(2));
  expect(store.minutesSince(0).map((kept) => kept.minute)).toEqual([minute + 1]);
});
