/** A task that is stored until it is done, and claimed by one runner at a time. */
export interface Job {
  /** Unique in its queue, and the same for all retries. */
  readonly id: string;
  /** The app or instance that it belongs to; dead jobs are listed by owner. */
  readonly owner: string;
  /** Jobs of one key share its part of a runner, so that a long queue of one key does not delay other keys. */
  readonly key: string;
  /** When the next try is due, in epoch milliseconds. */
  readonly dueAt: number;
  /** The task, as the runner's owner wrote it: a value that JSON can hold. It never changes. */
  readonly data: unknown;
  /** The part that changes between tries, likewise. */
  readonly state: unknown;
}

/** A job and the claim that returned it. */
export interface ClaimedJob extends Job {
  readonly claimId: string;
}

/** The new values of a resent dead job. */
export type FreshJob = Pick<Job, 'dueAt' | 'state'>;

/** The approximate memory of a job: the texts in its data plus 1 KB. */
export function weightOf({ data }: Job): number {
  let weight = 1024;
  if (typeof data === 'string') weight += data.length;
  else for (const value of Object.values(data ?? {})) if (typeof value === 'string') weight += value.length;
  return weight;
}
