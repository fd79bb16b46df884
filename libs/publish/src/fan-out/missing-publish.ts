import type { Job, JobOutcome } from 'rookery/jobs';

const firstRestMs = 5000;
/** Longer than any replica lags behind. */
const searchMs = 86_400_000;

/** The state of a job whose publish was not found. */
interface Missing {
  /** Since when, in epoch milliseconds. */
  readonly missingSince?: number;
}

/**
 * The outcome of a job whose publish is missing, and the line to log, if any. Both were stored in one transaction:
 * either a replica lags behind, or the publish was deleted by hand. Each wait is as long as all before it.
 */
export function missingPublish({ key, state }: Job, now: number): { outcome: JobOutcome; line?: string } {
  // A worker wrote the state: a text, or this.
  const { missingSince = now } = state as Missing;
  const missingMs = now - missingSince;
  if (missingMs >= searchMs)
    return {
      outcome: { outcome: 'done' },
      line: `Gave up publish ${key}: it has been missing from the outbox for a day`,
    };
  const dueAt = Math.min(now + Math.max(firstRestMs, missingMs), missingSince + searchMs);
  return {
    outcome: { outcome: 'retry', dueAt, state: { missingSince } },
    ...(missingMs === 0 && { line: `Publish ${key} is missing from the outbox; looking for it for a day` }),
  };
}
