import { type DeadJob, type DeadJobCounts, type DeadJobLimits, type Death, deadPlace, type Job } from 'rookery/jobs';
import { dropOldest, storable } from '#common';
import type { Database } from '../database/database.js';
import { run, type Work } from '../database/statement.js';
import { jobOfRow, type JobRow } from './job-row.js';

/** Rows deleted per burial, in addition to as many as it adds: later burials delete the rest. */
const deletedPerBatch = 100;

interface DeadRow extends Omit<JobRow, 'free_at' | 'position'> {
  readonly died_at: number | string;
  readonly place: string;
  readonly reason: string;
}

const ofOwner = 'FROM rookery_dead_jobs WHERE queue = ? AND owner = ?';

const columns = 'id, owner, place, died_at, reason, key, due_at, data, state';

/** Owners whose bytes a process knows about; of others it reads them. */
const maxOwners = 1000;

/** To sum up what an owner has takes reading it all, so this share is dropped with what exceeds the limit. */
const slack = 0.1;

/** The bytes of the dead jobs of each owner, at most: what this process has added since it read them. */
export class DeadBytes {
  private readonly byOwner = new Map<string, number>();

  /** @returns undefined for an owner whose bytes were not read */
  add(owner: string, bytes: number): number | undefined {
    const before = this.byOwner.get(owner);
    if (before === undefined) return undefined;
    this.byOwner.set(owner, before + bytes);
    return before + bytes;
  }

  read(owner: string, bytes: number): void {
    this.byOwner.set(owner, bytes);
    dropOldest(this.byOwner, maxOwners);
  }
}

const bytesOf = (jobs: readonly Job[]): number => jobs.reduce((sum, { data }) => sum + JSON.stringify(data).length, 0);

/** Stores jobs that died together, replaces older dead jobs of the same id, and deletes those over the limits. */
export function* keepDead(
  queue: string,
  jobs: readonly Job[],
  { diedAt, reason }: Death,
  { most, maxBytes, keepMs }: DeadJobLimits,
  known: DeadBytes,
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
  const atOnce = deletedPerBatch + jobs.length;
  yield* forget('queue = ? AND place < ?', [queue, deadPlace(diedAt - keepMs)], queue, atOnce);
  const isOwners = 'queue = ? AND owner = ?';
  const first = `SELECT place FROM rookery_dead_jobs WHERE ${isOwners} ORDER BY place DESC LIMIT 1 OFFSET ?`;
  for (const owner of new Set(jobs.map((job) => job.owner))) {
    yield* forget(`${isOwners} AND place <= (${first})`, [queue, owner, queue, owner, most], queue, atOnce);
    const bytes = known.add(owner, bytesOf(jobs.filter((job) => job.owner === owner)));
    if (bytes !== undefined && bytes <= maxBytes) continue;
    const place = yield* placeBeyond(queue, owner, maxBytes, known);
    if (place !== undefined) yield* forget(`${isOwners} AND place <= ?`, [queue, owner, place], queue, Infinity);
  }
}

/** The latest place of an owner that must be deleted to keep within a limit of bytes. */
function* placeBeyond(queue: string, owner: string, maxBytes: number, known: DeadBytes): Work<string | undefined> {
  const [all] = yield* run<{ readonly bytes: number | string | null }>(`SELECT SUM(LENGTH(data)) AS bytes ${ofOwner}`, [
    queue,
    owner,
  ]);
  const bytes = Number(all?.bytes ?? 0);
  const least = Math.floor(maxBytes * (1 - slack));
  known.read(owner, bytes <= maxBytes ? bytes : least);
  if (bytes <= maxBytes) return undefined;
  const [first] = yield* run<{ readonly place: string }>(
    `SELECT place FROM (SELECT place, SUM(LENGTH(data)) OVER (ORDER BY place DESC) AS bytes ${ofOwner}) AS summed
     WHERE bytes > ? ORDER BY place DESC LIMIT 1`,
    [queue, owner, least],
  );
  return first?.place;
}

/** Deletes the oldest of the selected rows, and counts them. */
function* forget(which: string, parameters: readonly unknown[], queue: string, atOnce: number): Work<void> {
  const limit = atOnce === Infinity ? [] : [atOnce];
  const gone = yield* run<{ readonly owner: string }>(
    `DELETE FROM rookery_dead_jobs WHERE queue = ? AND id IN (
       SELECT id FROM rookery_dead_jobs WHERE ${which} ORDER BY place ${limit.length > 0 ? 'LIMIT ?' : ''})
     RETURNING owner`,
    [queue, ...parameters, ...limit],
  );
  const counts = new Map<string, number>();
  for (const { owner } of gone) counts.set(owner, (counts.get(owner) ?? 0) + 1);
  for (const [owner, count] of counts)
    yield* run(
      `INSERT INTO rookery_dropped_dead_jobs (queue, owner, dropped) VALUES (?, ?, ?)
       ON CONFLICT (queue, owner) DO UPDATE SET dropped = rookery_dropped_dead_jobs.dropped + excluded.dropped`,
      [queue, owner, count],
    );
}

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

export async function countDead(database: Database, queue: string, owner: string): Promise<DeadJobCounts> {
  const [row] = await database.read<{ kept: number | string; dropped: number | string | null }>(
    `SELECT (SELECT COUNT(*) ${ofOwner}) AS kept,
       (SELECT dropped FROM rookery_dropped_dead_jobs WHERE queue = ? AND owner = ?) AS dropped`,
    [queue, owner, queue, owner],
  );
  return { kept: Number(row?.kept ?? 0), dropped: Number(row?.dropped ?? 0) };
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
  if (rows.length > 0)
    yield* run(
      `DELETE FROM rookery_dropped_dead_jobs WHERE queue = ? AND owner = ?
         AND NOT EXISTS (SELECT 1 ${ofOwner})`,
      [queue, owner, queue, owner],
    );
  return rows.toSorted((one, other) => (one.place < other.place ? -1 : 1)).map(jobOfRow);
}
