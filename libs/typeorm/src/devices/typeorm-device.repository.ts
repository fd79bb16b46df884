import { Injectable } from '@nestjs/common';
import { setImmediate as nextTurn } from 'node:timers/promises';
import {
  apnsEnvironments,
  DeviceRepository,
  type KnownEnvironment,
  type PublishTarget,
  type Device,
  type DeviceAddress,
  type DeviceCursor,
  type Platform,
  type Registration,
  type RemovedDevice,
  seenOnceMs,
  type UnseenStep,
  isCombined,
} from 'rookery/push-device';
import { Database } from '../database/database.js';
import { audiencePage, devicesAtOnce, partsOf } from './audience.js';
import { combinedAudience } from './combined-audience.js';
import { addressOf, deviceOf, type DeviceRow, removedColumns, removedOf, type RemovedRow } from './device-row.js';
import {
  addingInterest,
  registering,
  findingUnseen,
  removingInterest,
  markingGone,
  removingUnregistered,
  removingUnseen,
  settingEnvironment,
  settingInterests,
  settingToken,
  settingUser,
} from './device-writes.js';
import { batchesByInterestCount } from './batches-by-interest-count.js';

/** The maximum number of devices per DELETE: few round trips, and no long locks. */
const removedAtOnce = 100;

const isDevice = 'instance_id = ? AND platform = ? AND id = ?';

/** In PostgreSQL or SQLite: for any number of processes on one database. */
@Injectable()
export class TypeOrmDeviceRepository extends DeviceRepository {
  constructor(private readonly database: Database) {
    super();
  }

  register(instanceId: string, registration: Registration, now: number) {
    return this.database.write(() => registering(instanceId, registration, now));
  }

  async find(instanceId: string, platform: Platform, id: string): Promise<Device | undefined> {
    const [row] = await this.database.read<DeviceRow>(`SELECT * FROM rookery_devices WHERE ${isDevice}`, [
      instanceId,
      platform,
      id,
    ]);
    return row && deviceOf(row);
  }

  async remove(instanceId: string, platform: Platform, id: string): Promise<RemovedDevice | undefined> {
    const [row] = await this.database.execute<RemovedRow>(
      `DELETE FROM rookery_devices WHERE ${isDevice} RETURNING ${removedColumns}`,
      [instanceId, platform, id],
    );
    return row && removedOf(row);
  }

  async setMetadata(instanceId: string, platform: Platform, id: string, metadata: Readonly<Record<string, string>>) {
    const changed = await this.database.execute(
      `UPDATE rookery_devices SET metadata = ? WHERE ${isDevice} RETURNING id`,
      [JSON.stringify(metadata), instanceId, platform, id],
    );
    return changed.length > 0 ? 'ok' : 'unknown';
  }

  setToken(instanceId: string, platform: Platform, id: string, token: string, now: number) {
    return this.database.write(() => settingToken(this.database, { instanceId, platform, id }, token, now));
  }

  setUser(instanceId: string, platform: Platform, id: string, userId: string) {
    return this.database.write(() => settingUser(this.database, { instanceId, platform, id }, userId));
  }

  async interests(instanceId: string, platform: Platform, id: string, after: string, limit: number) {
    const rows = await this.database.read<{ readonly interest: string | null }>(
      `SELECT i.interest FROM rookery_devices d LEFT JOIN (
         SELECT device_id, interest FROM rookery_device_interests
         WHERE device_id = ? AND interest > ? ORDER BY interest LIMIT ?
       ) i ON i.device_id = d.id WHERE d.instance_id = ? AND d.platform = ? AND d.id = ? ORDER BY i.interest`,
      [id, after, limit, instanceId, platform, id],
    );
    if (rows.length === 0) return 'unknown';
    return rows.flatMap(({ interest }) => interest ?? []);
  }

  setInterests(instanceId: string, platform: Platform, id: string, interests: ReadonlySet<string>) {
    return this.database.write(() => settingInterests(this.database, { instanceId, platform, id }, interests));
  }

  addInterest(instanceId: string, platform: Platform, id: string, interest: string) {
    return this.database.write(() => addingInterest(this.database, { instanceId, platform, id }, interest));
  }

  removeInterest(instanceId: string, platform: Platform, id: string, interest: string) {
    return this.database.write(() => removingInterest(this.database, { instanceId, platform, id }, interest));
  }

  async removeUser(instanceId: string, userId: string): Promise<readonly RemovedDevice[]> {
    const ofUser = 'instance_id = ? AND user_id = ?';
    const found = await this.database.read<{ readonly id: string }>(`SELECT id FROM rookery_devices WHERE ${ofUser}`, [
      instanceId,
      userId,
    ]);
    const { each, list } = this.database.dialect;
    const some = `DELETE FROM rookery_devices WHERE ${ofUser} AND id IN (SELECT value FROM ${each}) RETURNING ${removedColumns}`;
    const steps = await batchesByInterestCount(
      this.database,
      found.map(({ id }) => id),
    );
    return removedIn(steps, async (ids) => {
      const rows = await this.database.execute<RemovedRow>(some, [instanceId, userId, list(ids)]);
      return rows.map(removedOf);
    });
  }

  async inAudience(
    instanceId: string,
    target: PublishTarget,
    after: string,
    limit: number,
  ): Promise<readonly DeviceAddress[]> {
    if (isCombined(target))
      return (await combinedAudience(this.database, instanceId, target, after, limit)).map(addressOf);
    const { dialect } = this.database;
    const atOnce = devicesAtOnce(dialect, target);
    const found: DeviceRow[] = [];
    for (;;) {
      const size = Math.min(limit - found.length, atOnce);
      const rows = await this.readPage(instanceId, partsOf(dialect, target), found.at(-1)?.id ?? after, size);
      found.push(...rows);
      if (rows.length < size || found.length === limit) return found.map(addressOf);
      await nextTurn();
    }
  }

  async latest(instanceId: string, limit: number, before?: DeviceCursor): Promise<readonly DeviceAddress[]> {
    const rows = await this.database.read<DeviceRow>(
      `SELECT * FROM rookery_devices WHERE instance_id = ? ${before ? 'AND (registered_at, id) < (?, ?)' : ''}
       ORDER BY registered_at DESC, id DESC LIMIT ?`,
      [instanceId, ...(before ? [before.registeredAt, before.id] : []), limit],
    );
    return rows.map(addressOf);
  }

  async markGone(instanceId: string, gone: readonly { readonly id: string; readonly before: number }[], now: number) {
    for (const some of batchesOf(gone)) await this.database.write(() => markingGone(instanceId, some, now));
  }

  async setEnvironments(instanceId: string, devices: readonly KnownEnvironment[]): Promise<void> {
    for (const environment of apnsEnvironments)
      for (const some of batchesOf(devices.filter((device) => device.environment === environment)))
        await this.database.write(() => settingEnvironment(instanceId, some, environment));
  }

  async unmarkGone(instanceId: string, ids: readonly string[]): Promise<void> {
    const { each, list } = this.database.dialect;
    await this.database.execute(
      `UPDATE rookery_devices SET gone_since = NULL WHERE instance_id = ? AND id IN (SELECT value FROM ${each})`,
      [instanceId, list(ids)],
    );
  }

  /** In small steps, so that others can write in between. */
  async removeUnregistered(instanceId: string, devices: readonly { readonly id: string; readonly before?: number }[]) {
    return removedIn(this.stepsOf(devices), (step) =>
      this.database.write(() => removingUnregistered(instanceId, step)),
    );
  }

  async see(instanceId: string, platform: Platform, id: string, now: number): Promise<void> {
    await this.database.execute(
      `UPDATE rookery_devices SET seen_at = ? WHERE ${isDevice} AND (seen_at IS NULL OR seen_at <= ?)`,
      [now, instanceId, platform, id, now - seenOnceMs],
    );
  }

  async removeUnseen(
    step: UnseenStep,
  ): Promise<{ readonly removed: readonly RemovedDevice[]; readonly last?: string }> {
    const { unseen, last } = await this.database.write(() => findingUnseen(step));
    if (unseen.length === 0) return { removed: [], last };
    const steps = await batchesByInterestCount(this.database, unseen);
    const removed = await removedIn(steps, (ids) =>
      this.database.write(() => removingUnseen(this.database, ids, step.before)),
    );
    return { removed, last };
  }

  private async *stepsOf<Named extends { readonly id: string }>(devices: readonly Named[]) {
    for (let start = 0; start < devices.length; start += removedAtOnce) {
      const batch = new Map(devices.slice(start, start + removedAtOnce).map((device) => [device.id, device]));
      for (const ids of await batchesByInterestCount(this.database, [...batch.keys()]))
        yield ids.flatMap((id) => batch.get(id) ?? []);
    }
  }

  private async readPage(instanceId: string, parts: readonly PublishTarget[], after: string, limit: number) {
    const rows: DeviceRow[] = [];
    for (const part of parts) {
      if (part !== parts[0]) await nextTurn();
      const { text, parameters } = audiencePage(this.database.dialect, instanceId, part, after, limit);
      rows.push(...(await this.database.read<DeviceRow>(text, parameters)));
    }
    return parts.length === 1 ? rows : rows.sort((one, other) => (one.id < other.id ? -1 : 1)).slice(0, limit);
  }
}

/**
 * Removes devices step by step. When a step fails, it answers what the earlier ones have removed: no other call would.
 */
async function removedIn<Step>(
  steps: AsyncIterable<Step> | Iterable<Step>,
  remove: (step: Step) => Promise<readonly RemovedDevice[]>,
): Promise<readonly RemovedDevice[]> {
  const removed: RemovedDevice[] = [];
  try {
    for await (const step of steps) removed.push(...(await remove(step)));
  } catch (error) {
    if (removed.length === 0) throw error;
  }
  return removed;
}

/** In a fixed order, so that concurrent pages do not deadlock. */
function* batchesOf<T extends { readonly id: string }>(devices: readonly T[]): Generator<readonly T[]> {
  const sorted = devices.toSorted((one, other) => (one.id < other.id ? -1 : 1));
  for (let start = 0; start < sorted.length; start += removedAtOnce) yield sorted.slice(start, start + removedAtOnce);
}
