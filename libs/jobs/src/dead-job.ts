import type { Job } from './job.js';

/** Why and when a job was given up. */
export interface Death {
  /** Epoch milliseconds. */
  readonly diedAt: number;
  /** Why the last try failed, in words. */
  readonly reason: string;
}

/** A job that was given up: its last try failed, or no other try could do better. */
export interface DeadJob extends Death {
  readonly job: Job;
}

/** How many dead jobs are kept, and for how long. */
export interface DeadJobLimits {
  /** Of one owner; beyond it the oldest go. 0: none is kept. */
  readonly most: number;
  /** In milliseconds. */
  readonly keepMs: number;
}

/** A text that sorts dead jobs by when they died, then by id. */
export const deadPlace = (diedAt: number, id = ''): string => `${String(diedAt).padStart(15, '0')} ${id}`;

/** The same of a dead job. */
export const placeOf = ({ diedAt, job }: DeadJob): string => deadPlace(diedAt, job.id);
