import { type DeadJob, type DeadJobLimits, type Death, deadPlace, type Job } from 'rookery/jobs';
import { storable } from '#common';
import type { Database } from '../database/database.js';
import { run, type Work } from '../database/statement.js';
import { jobOfRow, type JobRow } from './job-row.js';

/** Rows deleted per burial, in addition to as many as it adds: later burials delete the rest. */
const forgottenAtOnce = 100;

interface DeadRow extends Omit<JobRow, 'free_at' | 'position'> {
  readonly died_at: number | string;
  readonly place: string;
  readonly reason: string;
}

const columns = 'id, owner, place, died_at, reason, key, due_at, data, state';

/** Stores jobs that died together, replaces older dead jobs of the same id, and deletes those over the limits. */
export function* keepDead(
  queue: string,
  jobs: readonly Job[],
  { diedAt, reason }: Death,
  { most, keepMs }: DeadJobLimits,
): Work<void> {
  if (jobs.length > 0)
    yield* run(
      `INSERT INTO rookery_dead_jobs (queue, ${columns})
       VALUES ${jobs.map(() => '(?, ?, ?, ?, ?, ?, ?, ?, ?, ?)').join(', ')}
       ON CONFLICT (queue, id) DO UPDATE SET place = excluded.place, died_at = excluded.died_at,
         reason = excluded.reason, due_at = excluded.due_at, state = excluded.state`,
      jobs.flatMap(({ id, owner, key, dueAt, data, state }) => {
        const values = [diedAt, storable(reason), key, dueAt, JSON.stringify(data), JSON.stringify(state)];
        return [queue, id, owner, deadPlace(diedAt, id), ...values];
      }),
    );
  const atOnce = forgottenAtOnce + jobs.length;
  yield* forget('queue = ? AND place < ?', [queue, deadPlace(diedAt - keepMs)], queue, atOnce);
  const isOwners = 'queue = ? AND owner = ?';
  const first = `SELECT place FROM rookery_dead_jobs WHERE ${isOwners} ORDER BY place DESC LIMIT 1 OFFSET ?`;
  for (const owner of new Set(jobs.map((job) => job.owner)))
    yield* forget(`${isOwners} AND place <= (${first})`, [queue, owner, queue, owner, most], queue, atOnce);
}

/** Deletes the oldest of the selected rows. */
const forget = (which: string, parameters: readonly unknown[], queue: string, atOnce: number): Work<unknown> =>
  run(
    `DELETE FROM rookery_dead_jobs WHERE queue = ? AND id IN (
       SELECT id FROM rookery_dead_jobs WHERE ${which} ORDER BY place LIMIT ?)`,
    [queue, ...parameters, atOnce],
  );

const ofOwner = 'FROM rookery_dead_jobs WHERE queue = ? AND owner = ?';

export async function readDead(
  database: Database,
  queue: string,
  owner: string,
  after: string,
  limit: number,
): Promise<readonly DeadJob[]> {
  const later = `SELECT ${columns} ${ofOwner} AND place > ? ORDER BY place LIMIT ?`;
  return (await database.read<DeadRow>(later, [queue, owner, after, limit])).map(deadJobOf);
}

/** Newest first; an empty `before` begins at the latest. */
export async function readLatestDead(
  database: Database,
  queue: string,
  owner: string,
  before: string,
  limit: number,
): Promise<readonly DeadJob[]> {
  const earlier = `SELECT ${columns} ${ofOwner} AND place < ? ORDER BY place DESC LIMIT ?`;
  return (await database.read<DeadRow>(earlier, [queue, owner, before || afterAll, limit])).map(deadJobOf);
}

export async function countDead(database: Database, queue: string, owner: string): Promise<number> {
  const [row] = await database.read<{ jobs: number | string }>(`SELECT COUNT(*) AS jobs ${ofOwner}`, [queue, owner]);
  return Number(row?.jobs ?? 0);
}

/** Sorts after every place of a real time. */
const afterAll = deadPlace(999_999_999_999_999);

const deadJobOf = (row: DeadRow): DeadJob => ({
  job: jobOfRow(row),
  diedAt: Number(row.died_at),
  reason: row.reason,
});

/** Deletes and returns the owner's dead jobs of these ids, oldest first. */
export function* takeDead(
  { dialect: { each, list } }: Database,
  queue: string,
  owner: string,
  ids: readonly string[],
): Work<readonly Job[]> {
  const rows = yield* run<DeadRow>(
    `DELETE FROM rookery_dead_jobs WHERE queue = ? AND owner = ? AND id IN (SELECT value FROM ${each})
     RETURNING ${columns}`,
    [queue, owner, list(ids)],
  );
  return rows.toSorted((one, other) => (one.place < other.place ? -1 : 1)).map(jobOfRow);
}
