import type { Charts } from '../contract.js';
import { stepAt, steps, stepSeconds } from './samples.js';

/** A process's samples, by step number. */
export type Line = readonly (readonly [step: number, Readonly<Record<string, number>>])[];

/** Sums the processes' samples, step by step. */
export function chartsOf(names: readonly string[], lines: readonly Line[], now: number): Charts {
  const last = stepAt(now);
  const series: Record<string, (number | null)[]> = {};
  for (const name of names) series[name] = Array.from({ length: steps }, () => null);
  for (const line of lines)
    for (const [step, sample] of line) {
      const at = step - (last - steps + 1);
      if (at < 0 || at >= steps) continue;
      for (const name of names) series[name]![at] = (series[name]![at] ?? 0) + (sample[name] ?? 0);
    }
  return { stepSeconds, until: (last + 1) * stepSeconds * 1000, series };
}
