/** A piece of work that is kept until it is done, and handed to one runner at a time. */
export interface Job {
  /** Unique in its queue, and stable over the retries. */
  readonly id: string;
  /** The app or instance that it belongs to; dead jobs are listed by owner. */
  readonly owner: string;
  /** Jobs of one key share its part of a runner, so that a long queue of one key delays no other key. */
  readonly key: string;
  /** When the next try is due, in epoch milliseconds. */
  readonly dueAt: number;
  /** What is to be done, as the runner's owner wrote it. It never changes. */
  readonly data: string;
  /** What changes from one try to the next. */
  readonly state: string;
}

/** A job and the claim that handed it out. */
export interface ClaimedJob extends Job {
  readonly claimId: string;
}

/** What a dead job gets when it is sent again. */
export type FreshJob = Pick<Job, 'dueAt' | 'state'>;

/** The memory that a job takes, roughly: its data and 1 KB for the rest. */
export const weightOf = ({ data }: Job): number => data.length + 1024;
