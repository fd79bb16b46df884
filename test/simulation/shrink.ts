import type { Outcome } from './outcome.js';

/** What happens in a run. */
export interface Schedule {
  readonly seed: number;
  readonly minutes: number;
  /** In order; `at` is a time in milliseconds. */
  readonly operations: readonly { readonly at: number; readonly kind: string }[];
}

/** A schedule that fails, and how. */
export interface Failing<Its extends Schedule> {
  readonly schedule: Its;
  readonly outcome: Outcome;
}

/**
 * Drops operations of a failing schedule while it still fails: first many at a time, in the end single ones. What fails
 * may change on the way.
 */
export async function shrunk<Its extends Schedule>(
  failing: Failing<Its>,
  run: (schedule: Its) => Promise<Outcome>,
  isInTime: () => boolean,
): Promise<Failing<Its>> {
  let shortest = await withoutRest(failing, run);
  for (let size = Math.ceil(shortest.schedule.operations.length / 2); size >= 1;) {
    const before = shortest.schedule.operations.length;
    for (let end = before; end > 0 && isInTime(); end -= size) {
      const { operations } = shortest.schedule;
      const left = [...operations.slice(0, Math.max(0, end - size)), ...operations.slice(end)];
      shortest = (await ifItFails(shortest, left, run)) ?? shortest;
    }
    const isSmaller = shortest.schedule.operations.length < before;
    if (!isInTime() || (size === 1 && !isSmaller)) break;
    if (!isSmaller || size > 1) size = Math.floor(size / 2);
    size = Math.max(size, 1);
  }
  return shortest;
}

/** What comes after the failure has no part in it, unless it showed only in the end. */
async function withoutRest<Its extends Schedule>(
  failing: Failing<Its>,
  run: (schedule: Its) => Promise<Outcome>,
): Promise<Failing<Its>> {
  const { schedule, outcome } = failing;
  const operations = schedule.operations.filter(({ at }) => at <= outcome.simulatedMs);
  if (operations.length === schedule.operations.length) return failing;
  return (await ifItFails(failing, operations, run)) ?? failing;
}

async function ifItFails<Its extends Schedule>(
  { schedule }: Failing<Its>,
  operations: Its['operations'],
  run: (schedule: Its) => Promise<Outcome>,
): Promise<Failing<Its> | undefined> {
  const minutes = Math.max(0, ...operations.map(({ at }) => at)) / 60_000;
  const smaller = { ...schedule, operations, minutes };
  const outcome = await run(smaller);
  return outcome.failure === undefined ? undefined : { schedule: smaller, outcome };
}
