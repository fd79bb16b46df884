import { maxDevicesPerUser, newDeviceId } from 'rookery/push-device';
import type { Database } from '../database/database.js';
import { run, type Work } from '../database/statement.js';
import { tokenHash } from '../devices/device-row.js';
import { importedDevice, type ImportedDevice } from './import-line.js';

/** Lines per transaction. */
const linesAtOnce = 1000;
/** Rows per INSERT: few enough parameters for both databases. */
const rowsPerBatch = 500;

interface Line {
  readonly number: number;
  readonly device: ImportedDevice;
}

export interface ImportCounts {
  readonly imported: number;
  readonly refused: number;
}

/** Called for each line that was not imported, with its number, from 1 on, and the reason. */
export type OnRefused = (line: number, reason: string) => void;

/**
 * Imports devices with their users and interests into an instance, one JSON object per line. A device with a known
 * token keeps its id and user, and the interests of the line replace its own; so importing the same file again changes
 * nothing. It refuses a line that breaks a rule of the API, and imports the others.
 *
 * @param check answers why a device that keeps these rules is refused
 */
export async function importDevices(
  database: Database,
  instanceId: string,
  lines: AsyncIterable<string>,
  onRefused: OnRefused = () => {},
  check: (device: ImportedDevice) => string | undefined = () => undefined,
): Promise<ImportCounts> {
  let [number, imported, refused] = [0, 0, 0];
  const refuse: OnRefused = (line, reason) => {
    refused += 1;
    onRefused(line, reason);
  };
  let batch = new Map<string, Line>();
  const flush = async (): Promise<void> => {
    const { size } = batch;
    const taken = [...batch.entries()];
    batch = new Map();
    if (size === 0) return;
    // The work may run twice, so it only returns its refusals.
    const refusals = await database.write(() => importing(database, instanceId.toLowerCase(), taken));
    for (const [line, reason] of refusals) refuse(line, reason);
    imported += size - refusals.length;
  };
  for await (const text of lines) {
    number += 1;
    if (text.trim() === '') continue;
    const device = importedDevice(text);
    const reason = 'refused' in device ? device.refused : check(device);
    if ('refused' in device || reason !== undefined) refuse(number, reason!);
    else {
      const hash = tokenHash(device);
      // A repeated token is the same device: save the earlier line first.
      if (batch.has(hash)) await flush();
      batch.set(hash, { number, device });
      if (batch.size === linesAtOnce) await flush();
    }
  }
  await flush();
  return { imported, refused };
}

type Refusals = readonly (readonly [line: number, reason: string])[];

function* importing(
  database: Database,
  instanceId: string,
  batch: readonly (readonly [hash: string, line: Line])[],
): Work<Refusals> {
  const { each, list } = database.dialect;
  const users = [...new Set(batch.flatMap(([, { device }]) => device.userId ?? []))].sort(byText);
  // In a fixed order, so that two imports do not deadlock.
  for (const user of users) yield* database.hold(`rookery user ${instanceId} ${user}`);
  const known = yield* run<{ readonly id: string; readonly token_hash: string; readonly user_id: string | null }>(
    `SELECT id, token_hash, user_id FROM rookery_devices
     WHERE instance_id = ? AND token_hash IN (SELECT value FROM ${each})`,
    [instanceId, list(batch.map(([hash]) => hash))],
  );
  const byHash = new Map(known.map((row) => [row.token_hash, row]));
  const taken = yield* run<{ readonly id: string }>(
    `SELECT id FROM rookery_devices WHERE id IN (SELECT value FROM ${each})`,
    [list(batch.flatMap(([, { device }]) => device.id ?? []))],
  );
  const ids = new Set(taken.map(({ id }) => id));
  const counted = yield* run<{ readonly user_id: string; readonly count: number | string }>(
    `SELECT user_id, COUNT(*) AS count FROM rookery_devices
     WHERE instance_id = ? AND user_id IN (SELECT value FROM ${each}) GROUP BY user_id`,
    [instanceId, list(users)],
  );
  const devicesOf = new Map(counted.map((row) => [row.user_id, Number(row.count)]));
  const refusals: (readonly [number, string])[] = [];
  const accepted: { readonly hash: string; readonly device: ImportedDevice; readonly id: string }[] = [];
  for (const [hash, { number, device }] of batch) {
    const before = byHash.get(hash);
    const { userId } = device;
    const id = before?.id ?? device.id ?? newDeviceId(device.platform);
    if (!before && ids.has(id)) refusals.push([number, 'its id belongs to another token']);
    else if (userId !== undefined && before?.user_id && before.user_id !== userId)
      refusals.push([number, 'the device belongs to another user']);
    else if (userId !== undefined && !before?.user_id && (devicesOf.get(userId) ?? 0) >= maxDevicesPerUser)
      refusals.push([number, `the user has ${maxDevicesPerUser} devices`]);
    else {
      if (userId !== undefined && !before?.user_id) devicesOf.set(userId, (devicesOf.get(userId) ?? 0) + 1);
      ids.add(id);
      accepted.push({ hash, device, id });
    }
  }
  const found = yield* upserted(instanceId, accepted);
  yield* settingInterests(database, instanceId, found);
  yield* settingStartTokens(instanceId, found);
  return refusals;
}

interface Accepted {
  readonly hash: string;
  readonly device: ImportedDevice;
  readonly id: string;
}

/** Returns the devices with their final ids: a concurrent registration may have created one. */
function* upserted(instanceId: string, accepted: readonly Accepted[]): Work<readonly Accepted[]> {
  const ids = new Map<string, string>();
  for (let start = 0; start < accepted.length; start += rowsPerBatch) {
    const rows = accepted.slice(start, start + rowsPerBatch);
    const saved = yield* run<{ readonly id: string; readonly token_hash: string }>(
      `INSERT INTO rookery_devices
         (id, instance_id, platform, token, token_hash, bundle_identifier, user_id, metadata, registered_at, environment)
       VALUES ${rows.map(() => "(?, ?, ?, ?, ?, ?, ?, '{}', ?, ?)").join(', ')}
       ON CONFLICT (instance_id, token_hash) DO UPDATE SET
         user_id = COALESCE(rookery_devices.user_id, excluded.user_id),
         environment = COALESCE(excluded.environment, rookery_devices.environment)
       RETURNING id, token_hash`,
      rows.flatMap(({ hash, id, device }) => [
        id,
        instanceId,
        device.platform,
        device.token,
        hash,
        device.bundleIdentifier ?? null,
        device.userId ?? null,
        Date.now(),
        device.environment ?? null,
      ]),
    );
    for (const row of saved) ids.set(row.token_hash, row.id);
  }
  return accepted.map((one) => ({ ...one, id: ids.get(one.hash) ?? one.id }));
}

function* settingInterests({ dialect }: Database, instanceId: string, devices: readonly Accepted[]): Work<void> {
  const named = devices.filter(({ device }) => device.interests !== undefined);
  if (named.length === 0) return;
  yield* run(`DELETE FROM rookery_device_interests WHERE device_id IN (SELECT value FROM ${dialect.each})`, [
    dialect.list(named.map(({ id }) => id)),
  ]);
  const pairs = named.flatMap(({ id, device }) => (device.interests ?? []).map((interest) => [interest, id] as const));
  for (let start = 0; start < pairs.length; start += rowsPerBatch) {
    const rows = pairs.slice(start, start + rowsPerBatch);
    yield* run(
      `INSERT INTO rookery_device_interests (instance_id, interest, device_id)
       VALUES ${rows.map(() => '(?, ?, ?)').join(', ')} ON CONFLICT DO NOTHING`,
      rows.flatMap(([interest, id]) => [instanceId, interest, id]),
    );
  }
}

function* settingStartTokens(instanceId: string, devices: readonly Accepted[]): Work<void> {
  const named = devices.filter(({ device }) => device.startToken !== undefined);
  for (let start = 0; start < named.length; start += rowsPerBatch) {
    const rows = named.slice(start, start + rowsPerBatch);
    yield* run(
      `INSERT INTO rookery_start_tokens (instance_id, device_id, token)
       VALUES ${rows.map(() => '(?, ?, ?)').join(', ')}
       ON CONFLICT (instance_id, device_id) DO UPDATE SET token = excluded.token`,
      rows.flatMap(({ id, device }) => [instanceId, id, device.startToken]),
    );
  }
}

const byText = (one: string, other: string): number => (one < other ? -1 : 1);
