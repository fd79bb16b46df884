import type { Job } from './job.js';
import type { JobOutcome } from './job.runner.js';

const firstRestMs = 5000;
/** Longer than any replica lags behind. */
const searchMs = 86_400_000;

/** The state of a job whose record was not found. */
interface Missing {
  /** Since when, in epoch milliseconds. */
  readonly missingSince?: number;
}

/**
 * The outcome of a job whose record is missing, such as that of a publish, and the line to log, if any. Both were
 * stored in one transaction: either a replica lags behind, or the record was deleted by hand. Each wait is as long as
 * all before it.
 *
 * @param name of the record, as the line names it
 */
export function missingRecord({ state }: Job, now: number, name: string): { outcome: JobOutcome; line?: string } {
  // A worker wrote the state: a text, or this.
  const { missingSince = now } = state as Missing;
  const missingMs = now - missingSince;
  if (missingMs >= searchMs)
    return { outcome: { outcome: 'done' }, line: `${name} was given up: it has been missing from its store for a day` };
  const dueAt = Math.min(now + Math.max(firstRestMs, missingMs), missingSince + searchMs);
  return {
    outcome: { outcome: 'retry', dueAt, state: { missingSince } },
    ...(missingMs === 0 && { line: `${name} is missing from its store; looking for it for a day` }),
  };
}
