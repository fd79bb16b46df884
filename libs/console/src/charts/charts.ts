import { stepAt, steps, stepSeconds } from './samples.js';

/** Lines over the last hour; null where no data exists. */
export interface Charts {
  readonly stepSeconds: number;
  /** The end of the last step, in epoch milliseconds. */
  readonly until: number;
  readonly series: Readonly<Record<string, readonly (number | null)[]>>;
}

type Line = readonly (readonly [step: number, Readonly<Record<string, number>>])[];

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
