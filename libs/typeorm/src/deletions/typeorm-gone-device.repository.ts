import { Injectable } from '@nestjs/common';
import {
  type AnsweredPage,
  type DeletionCounts,
  type GatewayAnswers,
  type GoneDevice,
  GoneDeviceRepository,
  type HeldCount,
  type HeldDevice,
  type InstancePlatform,
} from 'rookery/publish';
import type { Platform } from 'rookery/push-device';
import { Database } from '../database/database.js';
import { run, type Work } from '../database/statement.js';

const ofGateway = 'instance_id = ? AND platform = ?';

/** Rows per INSERT: few enough parameters for both databases. */
const rowsAtOnce = 200;

interface HeldRow {
  readonly device_id: string;
  readonly registered_until: number | string;
  readonly publish_id: string;
}

/** In a database: every process decides by the answers of all, and held devices outlive the processes. */
@Injectable()
export class TypeOrmGoneDeviceRepository extends GoneDeviceRepository {
  constructor(private readonly database: Database) {
    super();
  }

  note(of: InstancePlatform, page: AnsweredPage): Promise<void> {
    return this.database.write(() => noting(of, page));
  }

  async answers({ instanceId, platform }: InstancePlatform): Promise<GatewayAnswers> {
    const [sum] = await this.database.read<{ sent: number | string; gone: number | string }>(
      `SELECT COALESCE(SUM(sent), 0) AS sent, COALESCE(SUM(gone), 0) AS gone
       FROM rookery_gateway_answers WHERE ${ofGateway}`,
      [instanceId, platform],
    );
    return { sent: Number(sum?.sent), gone: Number(sum?.gone) };
  }

  async forgetAnswers({ instanceId, platform }: InstancePlatform): Promise<void> {
    await this.database.execute(`DELETE FROM rookery_gateway_answers WHERE ${ofGateway}`, [instanceId, platform]);
  }

  async held({ instanceId, platform }: InstancePlatform, limit: number): Promise<readonly HeldDevice[]> {
    const text = `SELECT * FROM rookery_gone_devices WHERE ${ofGateway} ORDER BY device_id LIMIT ?`;
    return (await this.database.read<HeldRow>(text, [instanceId, platform, limit])).map(heldOf);
  }

  async heldAmong(
    { instanceId, platform }: InstancePlatform,
    deviceIds: readonly string[],
  ): Promise<readonly HeldDevice[]> {
    const { each, list } = this.database.dialect;
    const rows = await this.database.read<HeldRow>(
      `SELECT * FROM rookery_gone_devices WHERE ${ofGateway} AND device_id IN (SELECT value FROM ${each})`,
      [instanceId, platform, list(deviceIds)],
    );
    return rows.map(heldOf);
  }

  settle(of: InstancePlatform, publishId: string, deviceIds: readonly string[], removed: number): Promise<void> {
    return this.database.write(() => this.settling(of, publishId, deviceIds, removed));
  }

  async counts(publishId: string): Promise<readonly DeletionCounts[]> {
    const rows = await this.database.read<{ platform: Platform; held: number | string; removed: number | string }>(
      'SELECT platform, held, removed FROM rookery_publish_deletions WHERE publish_id = ?',
      [publishId],
    );
    return rows.map(({ platform, held, removed }) => ({ platform, held: Number(held), removed: Number(removed) }));
  }

  async totals(): Promise<readonly HeldCount[]> {
    const rows = await this.database.read<{ instance_id: string; platform: Platform; held: number | string }>(
      `SELECT instance_id, platform, SUM(held) AS held FROM rookery_publish_deletions WHERE held > 0
       GROUP BY instance_id, platform`,
    );
    return rows.map(({ instance_id: instanceId, platform, held }) => ({ instanceId, platform, held: Number(held) }));
  }

  async forget(publishIds: readonly string[]): Promise<void> {
    const { each, list } = this.database.dialect;
    await this.database.execute(
      `DELETE FROM rookery_publish_deletions WHERE publish_id IN (SELECT value FROM ${each}) AND held = 0`,
      [list(publishIds)],
    );
  }

  private *settling(
    { instanceId, platform }: InstancePlatform,
    publishId: string,
    deviceIds: readonly string[],
    removed: number,
  ): Work<void> {
    const { each, list } = this.database.dialect;
    const settled = yield* run(
      `DELETE FROM rookery_gone_devices
       WHERE ${ofGateway} AND device_id IN (SELECT value FROM ${each}) AND publish_id = ? RETURNING device_id`,
      [instanceId, platform, list(deviceIds), publishId],
    );
    const counted = 'held = held - ?, removed = removed + ?';
    yield* run(`UPDATE rookery_publish_deletions SET ${counted} WHERE publish_id = ? AND platform = ?`, [
      settled.length,
      removed,
      publishId,
      platform,
    ]);
    // If a publish was deleted while its devices were held, its counts are never read.
    yield* run(
      `DELETE FROM rookery_publish_deletions WHERE publish_id = ? AND platform = ? AND held = 0
         AND NOT EXISTS (SELECT 1 FROM rookery_publishes WHERE id = ?)`,
      [publishId, platform, publishId],
    );
  }
}

function* noting(of: InstancePlatform, { publishId, at, since, sent, gone }: AnsweredPage): Work<void> {
  const gateway = [of.instanceId, of.platform];
  const someHeld = `SELECT device_id FROM rookery_gone_devices WHERE ${ofGateway} ORDER BY device_id LIMIT 1`;
  if ((yield* run(someHeld, gateway)).length === 0)
    yield* run(`DELETE FROM rookery_gateway_answers WHERE ${ofGateway} AND answered_at <= ?`, [...gateway, since]);
  yield* run(
    `INSERT INTO rookery_gateway_answers AS known (instance_id, platform, answered_at, sent, gone) VALUES (?, ?, ?, ?, ?)
     ON CONFLICT (instance_id, platform, answered_at) DO UPDATE SET
       sent = known.sent + excluded.sent, gone = known.gone + excluded.gone`,
    [...gateway, at, sent, gone.length],
  );
  // In a fixed order, so that concurrent pages do not deadlock.
  const sorted = gone.toSorted((one, other) => (one.id < other.id ? -1 : 1));
  let held = 0;
  for (let start = 0; start < gone.length; start += rowsAtOnce)
    held += yield* holding(of, publishId, sorted.slice(start, start + rowsAtOnce));
  if (held === 0) return;
  yield* run(
    `INSERT INTO rookery_publish_deletions AS known (publish_id, platform, instance_id, held, removed)
     VALUES (?, ?, ?, ?, 0)
     ON CONFLICT (publish_id, platform) DO UPDATE SET held = known.held + excluded.held`,
    [publishId, of.platform, of.instanceId, held],
  );
}

function* holding(
  { instanceId, platform }: InstancePlatform,
  publishId: string,
  devices: readonly GoneDevice[],
): Work<number> {
  const added = yield* run(
    `INSERT INTO rookery_gone_devices (instance_id, platform, device_id, registered_until, publish_id)
     VALUES ${devices.map(() => '(?, ?, ?, ?, ?)').join(', ')}
     ON CONFLICT DO NOTHING RETURNING device_id`,
    devices.flatMap(({ id, before }) => [instanceId, platform, id, before, publishId]),
  );
  return added.length;
}

const heldOf = ({ device_id: id, registered_until: before, publish_id: publishId }: HeldRow): HeldDevice => ({
  id,
  before: Number(before),
  publishId,
});
