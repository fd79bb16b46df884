import type { Job } from 'rookery/jobs';

/** A row of `rookery_jobs` as both drivers return it. */
export interface JobRow {
  readonly id: string;
  readonly owner: string;
  readonly key: string;
  readonly due_at: number | string;
  readonly free_at: number | string;
  readonly position: number | string;
  readonly data: string;
  readonly state: string;
}

/** A row's turn in the order of claims: earliest free first, then in the order of addition. */
export type Turn = Pick<JobRow, 'free_at' | 'position'>;

export const byTurn = (one: Turn, other: Turn): number =>
  Number(one.free_at) - Number(other.free_at) || Number(one.position) - Number(other.position);

export const jobOfRow = ({ id, owner, key, due_at, data, state }: Omit<JobRow, 'free_at' | 'position'>): Job => ({
  id,
  owner,
  key,
  dueAt: Number(due_at),
  data: JSON.parse(data),
  state: JSON.parse(state),
});
