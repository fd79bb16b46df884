import { type LieKind, liesOf } from './lies.js';
import type { Outcome } from './outcome.js';
import type { Prepare } from './prepare.js';
import { type Failing, type Schedule, shrunk } from './shrink.js';

/** A kind of cluster: what may happen to it, what must hold, and faults that must be found. */
export interface Simulated<Its extends Schedule> {
  readonly scheduleOf: (seed: number, minutes: number) => Its;
  readonly run: (schedule: Its, prepare?: Prepare, print?: (line: string) => void) => Promise<Outcome>;
  /** What a schedule runs on, in words. */
  readonly describe: (schedule: Its) => string;
  /** Those that it may be told. */
  readonly lies: readonly LieKind[];
  readonly faults: Readonly<Record<string, Prepare>>;
  /** Faults that only a few seeds find. */
  readonly rareFaults: Readonly<Record<string, Prepare>>;
}

/** The same, whose schedules lack these kinds of operations. */
export const withoutKinds = <Its extends Schedule>(of: Simulated<Its>, kinds: readonly string[]): Simulated<Its> => ({
  ...of,
  scheduleOf: (seed, minutes) => {
    const schedule = of.scheduleOf(seed, minutes);
    return { ...schedule, operations: schedule.operations.filter(({ kind }) => !kinds.includes(kind)) };
  },
});

/** The same, whose schedules have these kinds of lies besides. */
export const withLies = <Its extends Schedule & { readonly nodes: number }>(
  of: Simulated<Its>,
  kinds: readonly string[],
): Simulated<Its> => ({
  ...of,
  scheduleOf: (seed, minutes) => {
    const schedule = of.scheduleOf(seed, minutes);
    const lies: Schedule['operations'] = liesOf(
      seed,
      minutes,
      schedule.nodes,
      of.lies.filter((kind) => kinds.includes(kind)),
    );
    return { ...schedule, operations: [...schedule.operations, ...lies].toSorted((a, b) => a.at - b.at) };
  },
});

/** What a search runs. */
export interface Search<Its extends Schedule> {
  readonly of: Simulated<Its>;
  /** How long each run is, in simulated minutes. */
  readonly minutes: number;
  readonly prepare?: Prepare | undefined;
  readonly print?: ((line: string) => void) | undefined;
}

/** @returns the first failing run of these seeds */
export async function firstFailing<Its extends Schedule>(
  seeds: Iterable<number>,
  { of, minutes, prepare, print }: Search<Its>,
  onOutcome: (seed: number, outcome: Outcome) => void = () => {},
): Promise<Failing<Its> | undefined> {
  for (const seed of seeds) {
    const schedule = of.scheduleOf(seed, minutes);
    const outcome = await of.run(schedule, prepare, print);
    onOutcome(seed, outcome);
    if (outcome.failure !== undefined) return { schedule, outcome };
  }
  return undefined;
}

/** The shortest schedule that was found to fail as well. */
export function shortest<Its extends Schedule>(
  failing: Failing<Its>,
  { of, prepare }: Search<Its>,
  isInTime: () => boolean,
): Promise<Failing<Its>> {
  return shrunk(failing, (schedule) => of.run(schedule, prepare), isInTime);
}
