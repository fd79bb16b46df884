import type { Charts } from '../contract/index.js';
import { steps, stepSeconds } from '../watch/samples.js';

/** Samples, by step number since 1970. */
export type Line = readonly (readonly [step: number, Readonly<Record<string, number>>])[];

/** The steps of a chart. */
export interface Span {
  readonly stepSeconds: number;
  readonly steps: number;
}

export const lastHour: Span = { stepSeconds, steps };

/** Sums lines, step by step. @param now epoch milliseconds within the last step */
export function chartsOf(names: readonly string[], lines: readonly Line[], now: number, span = lastHour): Charts {
  const last = Math.floor(now / (span.stepSeconds * 1000));
  const series: Record<string, (number | null)[]> = {};
  for (const name of names) series[name] = Array.from({ length: span.steps }, () => null);
  for (const line of lines)
    for (const [step, sample] of line) {
      const at = step - (last - span.steps + 1);
      if (at < 0 || at >= span.steps) continue;
      for (const name of names) series[name]![at] = (series[name]![at] ?? 0) + (sample[name] ?? 0);
    }
  return { stepSeconds: span.stepSeconds, until: (last + 1) * span.stepSeconds * 1000, series };
}
