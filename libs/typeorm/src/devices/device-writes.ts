import {
  maxDevicesPerUser,
  maxInterestsPerDevice,
  newDeviceId,
  type ApnsEnvironment,
  type DevicePath,
  type Registration,
  type UnseenStep,
} from 'rookery/push-device';
import type { Database } from '../database/database.js';
import { run, type Work } from '../database/statement.js';
import { type DeviceRow, removedColumns, removedOf, type RemovedRow, spellingHash, tokenHash } from './device-row.js';

export function* registering(instanceId: string, registration: Registration, now: number) {
  const { platform, token, bundleIdentifier, metadata, environment = null, vapidKey = null } = registration;
  const [newId, hash] = [newDeviceId(platform), tokenHash(registration)];
  yield* renamingSpelled(instanceId, registration, hash);
  const [device] = yield* run<{ readonly id: string }>(
    `INSERT INTO rookery_devices
       (id, instance_id, platform, token, token_hash, bundle_identifier, metadata, registered_at, environment, vapid_key)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
     ON CONFLICT (instance_id, token_hash) DO UPDATE SET
       token = excluded.token, bundle_identifier = excluded.bundle_identifier, metadata = excluded.metadata,
       registered_at = excluded.registered_at, gone_since = NULL, environment = excluded.environment
     RETURNING id`,
    [newId, instanceId, platform, token, hash, bundleIdentifier, JSON.stringify(metadata), now, environment, vapidKey],
  );
  const { id } = device!;
  return { id, interests: id === newId ? [] : yield* allInterests(id) };
}

/** A process of the release before may have named the device by the spelling of its token. */
function* renamingSpelled(instanceId: string, registration: Registration, hash: string): Work<void> {
  const before = spellingHash(registration);
  if (before === hash) return;
  yield* run(
    `UPDATE rookery_devices SET token_hash = ? WHERE instance_id = ? AND token_hash = ?
     AND NOT EXISTS (SELECT 1 FROM rookery_devices d WHERE d.instance_id = ? AND d.token_hash = ?)`,
    [hash, instanceId, before, instanceId, hash],
  );
}

export function* settingToken(
  database: Database,
  { instanceId, platform, id }: DevicePath,
  token: string,
  now: number,
) {
  const device = yield* locked(database, { instanceId, platform, id });
  if (!device) return 'unknown';
  const hash = tokenHash({ platform, token, bundleIdentifier: device.bundle_identifier ?? undefined });
  const ofOthers = 'instance_id = ? AND token_hash = ? AND id <> ?';
  const [other] = yield* run<RemovedRow>(`DELETE FROM rookery_devices WHERE ${ofOthers} RETURNING ${removedColumns}`, [
    instanceId,
    hash,
    id,
  ]);
  const changes = 'token = ?, token_hash = ?, registered_at = ?, gone_since = NULL';
  yield* run(`UPDATE rookery_devices SET ${changes} WHERE id = ?`, [token, hash, now, id]);
  return other ? removedOf(other) : 'ok';
}

/** Locks the user, so that concurrent devices are counted one after the other. */
export function* settingUser(database: Database, path: DevicePath, userId: string) {
  const device = yield* locked(database, path);
  if (!device) return 'unknown';
  if (device.user_id !== null) return device.user_id === userId ? 'ok' : 'other-user';
  yield* database.hold(`rookery user ${path.instanceId} ${userId}`);
  const others = yield* run<{ readonly count: number | string }>(
    'SELECT COUNT(*) AS count FROM rookery_devices WHERE instance_id = ? AND user_id = ?',
    [path.instanceId, userId],
  );
  if (Number(others[0]!.count) >= maxDevicesPerUser) return 'full';
  yield* run('UPDATE rookery_devices SET user_id = ? WHERE id = ?', [userId, path.id]);
  return 'ok';
}

export function* settingInterests(database: Database, path: DevicePath, interests: ReadonlySet<string>) {
  if (!(yield* locked(database, path))) return 'unknown';
  if (interests.size > maxInterestsPerDevice) return 'full';
  const { each, list } = database.dialect;
  yield* run(
    `DELETE FROM rookery_device_interests WHERE device_id = ? AND interest NOT IN (SELECT value FROM ${each})`,
    [path.id, list(interests)],
  );
  yield* run(
    `INSERT INTO rookery_device_interests (instance_id, interest, device_id)
     SELECT d.instance_id, value, d.id FROM rookery_devices d, ${each} WHERE d.id = ? ON CONFLICT DO NOTHING`,
    [list(interests), path.id],
  );
  return 'ok';
}

export function* addingInterest(database: Database, path: DevicePath, interest: string) {
  if (!(yield* locked(database, path))) return 'unknown';
  const { instanceId, id } = path;
  const [added] = yield* run(
    `INSERT INTO rookery_device_interests (instance_id, interest, device_id) SELECT ?, ?, ?
     WHERE (SELECT COUNT(*) FROM rookery_device_interests WHERE device_id = ?) < ?
     ON CONFLICT DO NOTHING RETURNING device_id`,
    [instanceId, interest, id, id, maxInterestsPerDevice],
  );
  if (added) return 'ok';
  const itself = 'device_id = ? AND interest = ?';
  const [present] = yield* run(`SELECT 1 FROM rookery_device_interests WHERE ${itself}`, [id, interest]);
  return present ? 'ok' : 'full';
}

export function* removingInterest(database: Database, path: DevicePath, interest: string) {
  if (!(yield* locked(database, path))) return 'unknown';
  yield* run('DELETE FROM rookery_device_interests WHERE device_id = ? AND interest = ?', [path.id, interest]);
  return 'ok';
}

/** A device that is gone unless it registered after `before`. */
interface Gone {
  readonly id: string;
  readonly before?: number;
}

export function* markingGone(instanceId: string, devices: readonly Gone[], now: number): Work<void> {
  yield* run(
    `${goneTable(devices)} UPDATE rookery_devices SET gone_since = ? WHERE id IN (${stillGone}) AND gone_since IS NULL`,
    [...goneRows(devices), now, instanceId],
  );
}

export function* settingEnvironment(
  instanceId: string,
  devices: readonly Gone[],
  environment: ApnsEnvironment,
): Work<void> {
  yield* run(`${goneTable(devices)} UPDATE rookery_devices SET environment = ? WHERE id IN (${stillGone})`, [
    ...goneRows(devices),
    environment,
    instanceId,
  ]);
}

export function* removingUnregistered(instanceId: string, devices: readonly Gone[]) {
  if (devices.length === 0) return [];
  const rows = yield* run<RemovedRow>(
    `${goneTable(devices)} DELETE FROM rookery_devices WHERE id IN (${stillGone}) RETURNING ${removedColumns}`,
    [...goneRows(devices), instanceId],
  );
  return rows.map(removedOf);
}

const goneTable = (devices: readonly Gone[]): string =>
  `WITH gone (id, registered_until) AS (VALUES ${devices.map(() => '(?, CAST(? AS bigint))').join(', ')})`;
const goneRows = (devices: readonly Gone[]): readonly unknown[] =>
  devices.flatMap(({ id, before = Number.MAX_SAFE_INTEGER }) => [id, before]);
const stillGone = `SELECT d.id FROM gone JOIN rookery_devices d ON d.id = gone.id
  WHERE d.instance_id = ? AND d.registered_at <= gone.registered_until`;

/** Scans the table by its key: an index on times would burden every registration. */
export function* findingUnseen({ before, now, after, limit }: UnseenStep) {
  const page = yield* run<{ readonly id: string }>('SELECT id FROM rookery_devices WHERE id > ? ORDER BY id LIMIT ?', [
    after,
    limit,
  ]);
  const last = page.at(-1)?.id;
  if (last === undefined) return { unseen: [] };
  const inPage = 'id > ? AND id <= ?';
  yield* run(`UPDATE rookery_devices SET seen_at = ? WHERE ${inPage} AND seen_at IS NULL`, [now, after, last]);
  const unseen = yield* run<{ readonly id: string }>(
    `SELECT id FROM rookery_devices WHERE ${inPage} AND ${unseenSince}`,
    [after, last, before, before],
  );
  return { unseen: unseen.map(({ id }) => id), last: page.length < limit ? undefined : last };
}

/** Removes the devices that are still unseen. */
export function* removingUnseen({ dialect: { each, list } }: Database, ids: readonly string[], before: number) {
  const gone = yield* run<RemovedRow>(
    `DELETE FROM rookery_devices WHERE id IN (SELECT value FROM ${each}) AND ${unseenSince} RETURNING ${removedColumns}`,
    [list(ids), before, before],
  );
  return gone.map(removedOf);
}

const unseenSince = 'seen_at < ? AND registered_at < ?';

function* allInterests(id: string): Work<readonly string[]> {
  const rows = yield* run<{ readonly interest: string }>(
    'SELECT interest FROM rookery_device_interests WHERE device_id = ? ORDER BY interest',
    [id],
  );
  return rows.map(({ interest }) => interest);
}

/** The device, locked until the end of the transaction. */
function* locked(
  { dialect }: Database,
  { instanceId, platform, id }: DevicePath,
): Work<Pick<DeviceRow, 'user_id' | 'bundle_identifier'> | undefined> {
  const [device] = yield* run<DeviceRow>(
    `SELECT user_id, bundle_identifier FROM rookery_devices
     WHERE instance_id = ? AND platform = ? AND id = ? ${dialect.forUpdate}`,
    [instanceId, platform, id],
  );
  return device;
}
