import type { Prepare } from './node.js';
import { type Outcome, Run } from './run.js';
import { type Schedule, scheduleOf } from './schedule.js';
import { type Failing, shrunk } from './shrink.js';

/** What a search runs. */
export interface Search {
  /** How long each run is, in simulated minutes. */
  readonly minutes: number;
  readonly prepare?: Prepare | undefined;
  readonly print?: ((line: string) => void) | undefined;
}

/** @returns the first failing run of these seeds */
export async function firstFailing(
  seeds: Iterable<number>,
  { minutes, prepare, print }: Search,
  onOutcome: (seed: number, outcome: Outcome) => void = () => {},
): Promise<Failing | undefined> {
  for (const seed of seeds) {
    const schedule = scheduleOf(seed, minutes);
    const outcome = await new Run(schedule, prepare, print).outcome();
    onOutcome(seed, outcome);
    if (outcome.failure !== undefined) return { schedule, outcome };
  }
  return undefined;
}

/** The shortest schedule that was found to fail as well. */
export function shortest(failing: Failing, { prepare }: Search, isInTime: () => boolean): Promise<Failing> {
  return shrunk(failing, (schedule: Schedule) => new Run(schedule, prepare).outcome(), isInTime);
}
