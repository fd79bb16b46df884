import type { PublishMetrics } from 'rookery/publish';
import { expect, it } from 'vitest';
import { PushServices } from '../push/push-services.js';
import { chartsOf } from '../charts/charts.js';
import { PushSamples, pushSeriesNames } from './push-samples.js';

const step = 10_000;
const hour = 360 * step;
const start = 1_800_000_000_000;

/** A process whose instances have these counts. */
function counting(traffic: Map<string, { publishes: number; sent: number; failed: number }>): PushSamples {
  const column = new (class extends PushServices {
    override get counted(): PublishMetrics['byInstance'] {
      return traffic;
    }
  })(undefined);
  return new PushSamples(column);
}

it("counts an instance's activity per step, not in total", () => {
  const mine = { publishes: 2, sent: 50, failed: 1 };
  const samples = counting(new Map([['mine', mine]]));
  samples.take(start);
  Object.assign(mine, { publishes: 3, sent: 150 });
  samples.take(start + step);
  samples.take(start + 2 * step);
  expect(samples.of('mine').map(([, sample]) => sample)).toEqual([
    { publishes: 2, delivered: 50, failed: 1 },
    { publishes: 1, delivered: 100, failed: 0 },
    { publishes: 0, delivered: 0, failed: 0 },
  ]);
  expect(samples.of('another').every(([, sample]) => Object.values(sample).every((count) => count === 0))).toBe(true);
});

it('keeps one hour', () => {
  const samples = counting(new Map());
  for (let now = start; now < start + 2 * hour; now += step) samples.take(now);
  expect(samples.of('mine')).toHaveLength(360);
});

it("sums the processes' samples, and leaves unknown steps empty", () => {
  const [here, there] = [1, 2].map((publishes) => counting(new Map([['mine', { publishes, sent: 10, failed: 0 }]])));
  here!.take(start);
  there!.take(start);
  there!.take(start + step);
  const { series } = chartsOf(pushSeriesNames, [here!.of('mine'), there!.of('mine')], start + step);
  expect(series['publishes']!.slice(-3)).toEqual([null, 3, 0]);
  expect(series['delivered']!.slice(-3)).toEqual([null, 20, 0]);
});
