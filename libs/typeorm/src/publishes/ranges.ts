import { type HandedOver, type Lane, laneName } from 'rookery/publish';
import type { Database } from '../database/database.js';
import type { Dialect } from '../database/dialect.js';
import { run, type Work } from '../database/statement.js';
import { type Claim, passedBy } from './due.js';
import { laneOfRow, type LaneRow, lanesOf, type PublishMarks } from './publish-row.js';

/** Claims the range that has been due the longest. */
export function* takenRange(dialect: Dialect, { owner, now, leasedUntil, except }: Claim) {
  const passed = passedBy(dialect, 'publish_id', except);
  const [due] = yield* run<{ readonly publish_id: string; readonly lane: string }>(
    `SELECT publish_id, lane FROM rookery_publish_ranges WHERE due_at <= ? ${passed.text}
     ORDER BY due_at LIMIT 1 ${dialect.skipLocked}`,
    [now, ...passed.parameters],
  );
  if (!due) return undefined;
  const place = [due.publish_id, due.lane];
  yield* run('UPDATE rookery_publish_ranges SET owner = ?, due_at = ? WHERE publish_id = ? AND lane = ?', [
    owner,
    leasedUntil,
    ...place,
  ]);
  const [lane] = yield* run<LaneRow>(
    'SELECT state FROM rookery_publish_lanes WHERE publish_id = ? AND lane = ?',
    place,
  );
  return lane && { ...due, ...lane };
}

export async function renewRange(
  database: Database,
  owner: string,
  publishId: string,
  leasedUntil: number,
): Promise<boolean> {
  const held = 'UPDATE rookery_publish_ranges SET due_at = ? WHERE publish_id = ? AND owner = ? RETURNING lane';
  return (await database.execute(held, [leasedUntil, publishId, owner])).length > 0;
}

/** The fence of a range: what its publish says, if the range is the owner's, which it stays until the transaction ends. */
export function* heldRange({ forUpdate }: Dialect, owner: string, publishId: string, lane: string) {
  const held = `SELECT lane FROM rookery_publish_ranges WHERE publish_id = ? AND lane = ? AND owner = ? ${forUpdate}`;
  if ((yield* run(held, [publishId, lane, owner])).length === 0) return undefined;
  const marks = 'SELECT cancelled_at, wanted_at FROM rookery_publishes WHERE id = ?';
  const [row] = yield* run<PublishMarks>(marks, [publishId]);
  return row;
}

export function* keepLane(publishId: string, lane: Lane): Work<void> {
  yield* run(
    `INSERT INTO rookery_publish_lanes (publish_id, lane, state) VALUES (?, ?, ?)
     ON CONFLICT (publish_id, lane) DO UPDATE SET state = excluded.state`,
    [publishId, laneName(lane), JSON.stringify(lane)],
  );
}

/** Makes a range due for any worker, and ends the request for one. */
export function* handOver(publishId: string, { lane, dueAt }: HandedOver): Work<void> {
  yield* keepLane(publishId, lane);
  yield* run('INSERT INTO rookery_publish_ranges (publish_id, lane, due_at) VALUES (?, ?, ?)', [
    publishId,
    laneName(lane),
    dueAt,
  ]);
  yield* run('UPDATE rookery_publishes SET wanted_at = NULL WHERE id = ?', [publishId]);
}

/** Of one that is cancelled meanwhile nothing is waited for. */
export function* releasingRange({ forUpdate }: Dialect, owner: string, publishId: string, dueAt: number): Work<void> {
  yield* run(`SELECT id FROM rookery_publishes WHERE id = ? ${forUpdate}`, [publishId]);
  yield* run(
    `UPDATE rookery_publish_ranges SET owner = NULL,
       due_at = COALESCE((SELECT cancelled_at FROM rookery_publishes WHERE id = publish_id), ?)
     WHERE publish_id = ? AND owner = ?`,
    [dueAt, publishId, owner],
  );
}

/** Marks the publishes that have an owner, or a range with one. It reads before it writes. */
export async function askForRange(database: Database, now: number, leaseMs: number): Promise<void> {
  const { each, list } = database.dialect;
  const held = await database.read<{ readonly id: string }>(
    `SELECT id FROM rookery_publishes WHERE due_at > ? AND due_at <= ? AND owner IS NOT NULL AND wanted_at IS NULL
     UNION SELECT p.id FROM rookery_publish_ranges r JOIN rookery_publishes p ON p.id = r.publish_id
       WHERE r.due_at > ? AND r.due_at <= ? AND r.owner IS NOT NULL AND p.wanted_at IS NULL`,
    [now, now + leaseMs, now, now + leaseMs],
  );
  if (held.length === 0) return;
  await database.execute(
    `UPDATE rookery_publishes SET wanted_at = ? WHERE finished_at IS NULL AND id IN (SELECT value FROM ${each})`,
    [now, list(held.map(({ id }) => id))],
  );
}

/** Gives up what the owner holds. The publish is locked first, so that exactly one owner is the last. */
export function* leaving(
  { forUpdate }: Dialect,
  owner: string,
  publishId: string,
  leasedUntil: number,
): Work<readonly Lane[] | undefined> {
  const [publish] = yield* run<{ readonly owner: string | null; readonly due_at: number | string | null }>(
    `SELECT owner, due_at FROM rookery_publishes WHERE id = ? AND finished_at IS NULL ${forUpdate}`,
    [publishId],
  );
  const left = yield* run('DELETE FROM rookery_publish_ranges WHERE publish_id = ? AND owner = ? RETURNING lane', [
    publishId,
    owner,
  ]);
  const isOwners = publish?.owner === owner;
  if (!publish || (left.length === 0 && !isOwners)) return undefined;
  const others = yield* run('SELECT lane FROM rookery_publish_ranges WHERE publish_id = ? LIMIT 1', [publishId]);
  const isLast = others.length === 0 && (isOwners || (publish.owner === null && publish.due_at === null));
  if (isLast || isOwners)
    yield* run('UPDATE rookery_publishes SET owner = ?, due_at = ? WHERE id = ?', [
      ...(isLast ? [owner, leasedUntil] : [null, null]),
      publishId,
    ]);
  return isLast ? (yield* run<LaneRow>(lanesOf, [publishId])).map(laneOfRow) : undefined;
}
