import type { Job } from './job.js';

/** Why and when a job was given up. */
export interface Death {
  /** Epoch milliseconds. */
  readonly diedAt: number;
  /** The reason why the last try failed, in words. */
  readonly reason: string;
}

/** A job that was given up: its last try failed, or further tries could not succeed. */
export interface DeadJob extends Death {
  readonly job: Job;
}

/** How many dead jobs to keep, and for how long. */
export interface DeadJobLimits {
  /** Per owner; beyond it, the oldest are deleted. 0: keep none. */
  readonly most: number;
  /** Of the data of an owner's dead jobs, about; beyond it, the oldest are deleted. */
  readonly maxBytes: number;
  /** In milliseconds. */
  readonly keepMs: number;
}

/** How many dead jobs an owner has. */
export interface DeadJobCounts {
  readonly kept: number;
  /** Those deleted because of a limit since the owner's were last all sent again. */
  readonly dropped: number;
}

/** The sort key of a dead job: time of death, then id. */
export const deadPlace = (diedAt: number, id = ''): string => `${String(diedAt).padStart(15, '0')} ${id}`;

/** The sort key of this dead job. */
export const placeOf = ({ diedAt, job }: DeadJob): string => deadPlace(diedAt, job.id);
