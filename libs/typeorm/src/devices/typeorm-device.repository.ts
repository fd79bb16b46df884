import { Injectable } from '@nestjs/common';
import {
  DeviceRepository,
  maxDevicesPerUser,
  maxInterestsPerDevice,
  newDeviceId,
  type Audience,
  type Device,
  type DeviceAddress,
  type Platform,
  type Registration,
} from 'rookery/push-device';
import { Database } from '../database/database.js';
import { run, type Work } from '../database/statement.js';
import { audiencePage } from './audience.js';
import { addressOf, deviceOf, tokenHash, type DeviceRow } from './device-row.js';

const isDevice = 'instance_id = ? AND platform = ? AND id = ?';

/** In PostgreSQL or SQLite: for any number of processes on one database. */
@Injectable()
export class TypeOrmDeviceRepository extends DeviceRepository {
  constructor(private readonly database: Database) {
    super();
  }

  register(instanceId: string, registration: Registration, now: number) {
    return this.database.write(() => this.registering(instanceId, registration, now));
  }

  async find(instanceId: string, platform: Platform, id: string): Promise<Device | undefined> {
    const [row] = await this.database.read<DeviceRow>(`SELECT * FROM rookery_devices WHERE ${isDevice}`, [
      instanceId,
      platform,
      id,
    ]);
    return row && deviceOf(row);
  }

  async remove(instanceId: string, platform: Platform, id: string): Promise<void> {
    await this.database.execute(`DELETE FROM rookery_devices WHERE ${isDevice}`, [instanceId, platform, id]);
  }

  async setMetadata(instanceId: string, platform: Platform, id: string, metadata: Readonly<Record<string, string>>) {
    const changed = await this.database.execute(
      `UPDATE rookery_devices SET metadata = ? WHERE ${isDevice} RETURNING id`,
      [JSON.stringify(metadata), instanceId, platform, id],
    );
    return changed.length > 0 ? 'ok' : 'unknown';
  }

  setToken(instanceId: string, platform: Platform, id: string, token: string, now: number) {
    return this.database.write(() => this.settingToken(instanceId, platform, id, token, now));
  }

  setUser(instanceId: string, platform: Platform, id: string, userId: string) {
    return this.database.write(() => this.settingUser(instanceId, platform, id, userId));
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
    return this.database.write(() => this.settingInterests(instanceId, platform, id, interests));
  }

  addInterest(instanceId: string, platform: Platform, id: string, interest: string) {
    return this.database.write(() => this.addingInterest(instanceId, platform, id, interest));
  }

  removeInterest(instanceId: string, platform: Platform, id: string, interest: string) {
    return this.database.write(() => this.removingInterest(instanceId, platform, id, interest));
  }

  async removeUser(instanceId: string, userId: string): Promise<void> {
    await this.database.execute('DELETE FROM rookery_devices WHERE instance_id = ? AND user_id = ?', [
      instanceId,
      userId,
    ]);
  }

  async inAudience(
    instanceId: string,
    audience: Audience,
    after: string,
    limit: number,
  ): Promise<readonly DeviceAddress[]> {
    const { text, parameters } = audiencePage(this.database.dialect, instanceId, audience, after, limit);
    return (await this.database.read<DeviceRow>(text, parameters)).map(addressOf);
  }

  removeUnregistered(instanceId: string, devices: readonly { readonly id: string; readonly before?: number }[]) {
    return this.database.write(() => this.removingUnregistered(instanceId, devices));
  }

  private *registering(instanceId: string, registration: Registration, now: number) {
    const { platform, token, bundleIdentifier, metadata } = registration;
    const [newId, hash] = [newDeviceId(platform), tokenHash(registration)];
    const [device] = yield* run<{ readonly id: string }>(
      `INSERT INTO rookery_devices
         (id, instance_id, platform, token, token_hash, bundle_identifier, metadata, registered_at)
       VALUES (?, ?, ?, ?, ?, ?, ?, ?)
       ON CONFLICT (instance_id, token_hash) DO UPDATE SET
         bundle_identifier = excluded.bundle_identifier, metadata = excluded.metadata,
         registered_at = excluded.registered_at
       RETURNING id`,
      [newId, instanceId, platform, token, hash, bundleIdentifier, JSON.stringify(metadata), now],
    );
    const { id } = device!;
    return { id, interests: id === newId ? [] : yield* this.allInterests(id) };
  }

  private *allInterests(id: string): Work<readonly string[]> {
    const rows = yield* run<{ readonly interest: string }>(
      'SELECT interest FROM rookery_device_interests WHERE device_id = ? ORDER BY interest',
      [id],
    );
    return rows.map(({ interest }) => interest);
  }

  private *settingToken(instanceId: string, platform: Platform, id: string, token: string, now: number) {
    const device = yield* this.locked(instanceId, platform, id);
    if (!device) return 'unknown';
    const hash = tokenHash({ platform, token, bundleIdentifier: device.bundle_identifier ?? undefined });
    yield* run('DELETE FROM rookery_devices WHERE instance_id = ? AND token_hash = ? AND id <> ?', [
      instanceId,
      hash,
      id,
    ]);
    yield* run('UPDATE rookery_devices SET token = ?, token_hash = ?, registered_at = ? WHERE id = ?', [
      token,
      hash,
      now,
      id,
    ]);
    return 'ok';
  }

  private *settingUser(instanceId: string, platform: Platform, id: string, userId: string) {
    const device = yield* this.locked(instanceId, platform, id);
    if (!device) return 'unknown';
    if (device.user_id !== null) return device.user_id === userId ? 'ok' : 'other-user';
    yield* this.database.hold(`rookery user ${instanceId} ${userId}`);
    const others = yield* run<{ readonly count: number | string }>(
      'SELECT COUNT(*) AS count FROM rookery_devices WHERE instance_id = ? AND user_id = ?',
      [instanceId, userId],
    );
    if (Number(others[0]!.count) >= maxDevicesPerUser) return 'full';
    yield* run('UPDATE rookery_devices SET user_id = ? WHERE id = ?', [userId, id]);
    return 'ok';
  }

  private *settingInterests(instanceId: string, platform: Platform, id: string, interests: ReadonlySet<string>) {
    if (!(yield* this.locked(instanceId, platform, id))) return 'unknown';
    if (interests.size > maxInterestsPerDevice) return 'full';
    const { each, list } = this.database.dialect;
    yield* run(
      `DELETE FROM rookery_device_interests WHERE device_id = ? AND interest NOT IN (SELECT value FROM ${each})`,
      [id, list(interests)],
    );
    yield* run(
      `INSERT INTO rookery_device_interests (instance_id, interest, device_id)
       SELECT d.instance_id, value, d.id FROM rookery_devices d, ${each} WHERE d.id = ? ON CONFLICT DO NOTHING`,
      [list(interests), id],
    );
    return 'ok';
  }

  private *addingInterest(instanceId: string, platform: Platform, id: string, interest: string) {
    if (!(yield* this.locked(instanceId, platform, id))) return 'unknown';
    const [added] = yield* run(
      `INSERT INTO rookery_device_interests (instance_id, interest, device_id) SELECT ?, ?, ?
       WHERE (SELECT COUNT(*) FROM rookery_device_interests WHERE device_id = ?) < ?
       ON CONFLICT DO NOTHING RETURNING device_id`,
      [instanceId, interest, id, id, maxInterestsPerDevice],
    );
    if (added) return 'ok';
    const [present] = yield* run('SELECT 1 FROM rookery_device_interests WHERE device_id = ? AND interest = ?', [
      id,
      interest,
    ]);
    return present ? 'ok' : 'full';
  }

  private *removingInterest(instanceId: string, platform: Platform, id: string, interest: string) {
    if (!(yield* this.locked(instanceId, platform, id))) return 'unknown';
    yield* run('DELETE FROM rookery_device_interests WHERE device_id = ? AND interest = ?', [id, interest]);
    return 'ok';
  }

  private *removingUnregistered(
    instanceId: string,
    devices: readonly { readonly id: string; readonly before?: number }[],
  ) {
    let removed = 0;
    for (const { id, before = Number.MAX_SAFE_INTEGER } of devices) {
      const rows = yield* run(
        'DELETE FROM rookery_devices WHERE instance_id = ? AND id = ? AND registered_at <= ? RETURNING id',
        [instanceId, id, before],
      );
      removed += rows.length;
    }
    return removed;
  }

  /** The device, which nobody else changes until the end of the transaction. */
  private *locked(instanceId: string, platform: Platform, id: string): Work<DeviceRow | undefined> {
    const [device] = yield* run<DeviceRow>(
      `SELECT * FROM rookery_devices WHERE ${isDevice} ${this.database.dialect.forUpdate}`,
      [instanceId, platform, id],
    );
    return device;
  }
}
