import type { DeviceOutcome, NewOutcomes, OutcomePage, OutcomeQuery } from 'rookery/publish';
import type { Database } from '../database/database.js';
import { run, type Work } from '../database/statement.js';

/** Rows per INSERT: few round trips, and few enough parameters for both databases. */
const rowsPerBatch = 200;
/** Fan-out pages to read for one page of results. */
const pagesAtOnce = 5;
/** Rows to delete in one transaction: some 45 KB of ids each. */
const deletedPerBatch = 200;

/** The devices of a page, by outcome and reason: mostly ids. */
interface PageOfDevices {
  readonly sent: readonly string[];
  readonly failed: Readonly<Record<string, readonly string[]>>;
  readonly retrying: Readonly<Record<string, readonly string[]>>;
}

export function* keepOutcomes(publishId: string, lastId: string, { of, at, devices }: NewOutcomes): Work<void> {
  if (of === 'retries') yield* keepLater(publishId, at, devices);
  else yield* keepPage(publishId, lastId, at, devices);
}

function* keepPage(publishId: string, lastId: string, at: number, devices: readonly DeviceOutcome[]): Work<void> {
  if (devices.length === 0) return;
  yield* run(
    `INSERT INTO rookery_publish_outcomes (publish_id, last_id, saved_at, devices) VALUES (?, ?, ?, ?)
     ON CONFLICT (publish_id, last_id) DO UPDATE SET saved_at = excluded.saved_at, devices = excluded.devices`,
    [publishId, lastId, at, JSON.stringify(packed(devices))],
  );
}

function* keepLater(publishId: string, at: number, devices: readonly DeviceOutcome[]): Work<void> {
  for (let start = 0; start < devices.length; start += rowsPerBatch) {
    const rows = devices.slice(start, start + rowsPerBatch);
    yield* run(
      `INSERT INTO rookery_publish_later_outcomes (publish_id, device_id, saved_at, outcome)
       VALUES ${rows.map(() => '(?, ?, ?, ?)').join(', ')}
       ON CONFLICT (publish_id, device_id) DO UPDATE SET saved_at = excluded.saved_at, outcome = excluded.outcome`,
      rows.flatMap(({ deviceId, ...became }) => [publishId, deviceId, at, JSON.stringify(became)]),
    );
  }
}

/** Reads a page of results from several fan-out pages, replacing outcomes that later ones supersede. */
export async function readOutcomes(
  database: Database,
  publishId: string,
  { after, limit, outcome }: OutcomeQuery,
): Promise<OutcomePage> {
  const pages = await database.read<{ readonly last_id: string; readonly devices: string }>(
    `SELECT last_id, devices FROM rookery_publish_outcomes WHERE publish_id = ? AND last_id > ?
     ORDER BY last_id LIMIT ?`,
    [publishId, after, pagesAtOnce],
  );
  const end = pages.at(-1)?.last_id;
  if (end === undefined) return { devices: [] };
  const later = await laterOutcomes(database, publishId, after, end);
  const found = pages
    .flatMap(({ devices }) => unpacked(devices))
    .map((device) => later.get(device.deviceId) ?? device)
    .filter((device) => device.deviceId > after && device.outcome === (outcome ?? device.outcome))
    .sort((one, other) => (one.deviceId < other.deviceId ? -1 : 1));
  const devices = found.slice(0, limit);
  if (found.length > limit) return { devices, next: devices.at(-1)?.deviceId };
  return pages.length === pagesAtOnce ? { devices, next: end } : { devices };
}

async function laterOutcomes(database: Database, publishId: string, after: string, end: string) {
  const rows = await database.read<{ readonly device_id: string; readonly outcome: string }>(
    `SELECT device_id, outcome FROM rookery_publish_later_outcomes
     WHERE publish_id = ? AND device_id > ? AND device_id <= ?`,
    [publishId, after, end],
  );
  // `keepLater` wrote them.
  const parsed = (text: string) => JSON.parse(text) as Omit<DeviceOutcome, 'deviceId'>;
  return new Map(rows.map((row) => [row.device_id, { deviceId: row.device_id, ...parsed(row.outcome) }]));
}

const tables = [
  ['rookery_publish_outcomes', 'last_id'],
  ['rookery_publish_later_outcomes', 'device_id'],
] as const;

/** Deletes the outcomes of a publish in small steps. */
export async function forgetOutcomesOf(database: Database, publishId: string): Promise<void> {
  for (const [table, id] of tables) {
    const some = `DELETE FROM ${table} WHERE (publish_id, ${id}) IN (
        SELECT publish_id, ${id} FROM ${table} WHERE publish_id = ? LIMIT ?
      ) RETURNING publish_id`;
    while ((await database.execute(some, [publishId, deletedPerBatch])).length === deletedPerBatch);
  }
}

/** Deletes some of the old rows and returns how many. */
export function* forgettingOutcomes(before: number): Work<number> {
  let forgotten = 0;
  for (const [table, id] of tables) {
    const rows = yield* run(
      `DELETE FROM ${table} WHERE (publish_id, ${id}) IN (
         SELECT publish_id, ${id} FROM ${table} WHERE saved_at < ? ORDER BY saved_at LIMIT ?
       ) RETURNING publish_id`,
      [before, deletedPerBatch],
    );
    forgotten += rows.length;
  }
  return forgotten;
}

function packed(devices: readonly DeviceOutcome[]): PageOfDevices {
  const sent: string[] = [];
  const others = { failed: new Map<string, string[]>(), retrying: new Map<string, string[]>() };
  for (const { deviceId, outcome, reason = '' } of devices) {
    if (outcome === 'sent') sent.push(deviceId);
    else if (!others[outcome].get(reason)?.push(deviceId)) others[outcome].set(reason, [deviceId]);
  }
  return { sent, failed: Object.fromEntries(others.failed), retrying: Object.fromEntries(others.retrying) };
}

function unpacked(text: string): readonly DeviceOutcome[] {
  // `keepOutcomes` wrote it.
  const { sent, failed, retrying } = JSON.parse(text) as PageOfDevices;
  const devices: DeviceOutcome[] = sent.map((deviceId) => ({ deviceId, outcome: 'sent' }));
  for (const [outcome, byReason] of [
    ['failed', failed],
    ['retrying', retrying],
  ] as const)
    for (const [reason, ids] of Object.entries(byReason))
      for (const deviceId of ids) devices.push({ deviceId, outcome, reason });
  return devices;
}
