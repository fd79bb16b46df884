import { Injectable } from '@nestjs/common';
import {
  type BroadcastChannel,
  type BroadcastChannelName,
  type ChannelReservation,
  LiveActivityRepository,
} from 'rookery/publish';
import { Database } from '../database/database.js';
import { run, type Work } from '../database/statement.js';

interface ChannelRow {
  readonly interest: string;
  readonly bundle_identifier: string;
  readonly channel_id: string;
  readonly stores_latest: number | string;
}

const named = 'instance_id = ? AND environment = ? AND interest = ? AND bundle_identifier = ?';
const partsOf = ({ instanceId, environment, interest, bundleIdentifier }: BroadcastChannelName) => [
  instanceId,
  environment,
  interest,
  bundleIdentifier,
];

/** In a database, for all processes. */
@Injectable()
export class TypeOrmLiveActivityRepository extends LiveActivityRepository {
  constructor(private readonly database: Database) {
    super();
  }

  async channels(
    instanceId: string,
    environment: string,
    interests: readonly string[],
  ): Promise<readonly BroadcastChannel[]> {
    const { each, list } = this.database.dialect;
    const rows = await this.database.read<ChannelRow>(
      `SELECT * FROM rookery_broadcast_channels
       WHERE instance_id = ? AND environment = ? AND interest IN (SELECT value FROM ${each}) AND channel_id IS NOT NULL`,
      [instanceId, environment, list(interests)],
    );
    return rows.map(channelOf(instanceId, environment));
  }

  async reserve(name: BroadcastChannelName, reservation: ChannelReservation) {
    const [channel] = await this.database.read<ChannelRow>(existing, partsOf(name));
    if (channel) return channelOf(name.instanceId, name.environment)(channel);
    return this.database.write(() => reserving(name, reservation));
  }

  async keep(channel: BroadcastChannel, by: string): Promise<boolean> {
    const kept = await this.database.execute(
      `UPDATE rookery_broadcast_channels
       SET channel_id = ?, stores_latest = ?, reserved_by = NULL, reserved_until = NULL
       WHERE ${named} AND reserved_by = ? RETURNING channel_id`,
      [channel.channelId, Number(channel.storesLatest), ...partsOf(channel), by],
    );
    return kept.length > 0;
  }

  async release(name: BroadcastChannelName, by: string): Promise<void> {
    await this.database.execute(`DELETE FROM rookery_broadcast_channels WHERE ${named} AND reserved_by = ?`, [
      ...partsOf(name),
      by,
    ]);
  }

  async removeChannel(name: BroadcastChannelName, channelId: string): Promise<boolean> {
    const removed = await this.database.execute(
      `DELETE FROM rookery_broadcast_channels WHERE ${named} AND channel_id = ? RETURNING channel_id`,
      [...partsOf(name), channelId],
    );
    return removed.length > 0;
  }

  async setStartToken(instanceId: string, deviceId: string, token: string): Promise<void> {
    await this.database.execute(
      `INSERT INTO rookery_start_tokens (instance_id, device_id, token) VALUES (?, ?, ?)
       ON CONFLICT (instance_id, device_id) DO UPDATE SET token = excluded.token`,
      [instanceId, deviceId, token],
    );
  }

  async startTokens(instanceId: string, deviceIds: readonly string[]): Promise<ReadonlyMap<string, string>> {
    const { each, list } = this.database.dialect;
    const rows = await this.database.read<{ readonly device_id: string; readonly token: string }>(
      `SELECT device_id, token FROM rookery_start_tokens
       WHERE instance_id = ? AND device_id IN (SELECT value FROM ${each})`,
      [instanceId, list(deviceIds)],
    );
    return new Map(rows.map(({ device_id: id, token }) => [id, token]));
  }

  async removeStartTokens(instanceId: string, deviceIds: readonly string[], token?: string): Promise<void> {
    const { each, list } = this.database.dialect;
    const only = token === undefined ? '' : ' AND token = ?';
    await this.database.execute(
      `DELETE FROM rookery_start_tokens
       WHERE instance_id = ? AND device_id IN (SELECT value FROM ${each})${only}`,
      [instanceId, list(deviceIds), ...(token === undefined ? [] : [token])],
    );
  }
}

const existing = `SELECT * FROM rookery_broadcast_channels WHERE ${named} AND channel_id IS NOT NULL`;

function* reserving(
  name: BroadcastChannelName,
  { by, now, until }: ChannelReservation,
): Work<BroadcastChannel | 'reserved' | 'busy'> {
  const reserved = yield* run(
    `INSERT INTO rookery_broadcast_channels AS known
       (instance_id, environment, interest, bundle_identifier, stores_latest, reserved_by, reserved_until)
     VALUES (?, ?, ?, ?, 0, ?, ?)
     ON CONFLICT (instance_id, environment, interest, bundle_identifier) DO UPDATE SET
       reserved_by = excluded.reserved_by, reserved_until = excluded.reserved_until
       WHERE known.channel_id IS NULL AND known.reserved_until <= ?
     RETURNING reserved_by`,
    [...partsOf(name), by, until, now],
  );
  if (reserved.length > 0) return 'reserved';
  const [channel] = yield* run<ChannelRow>(existing, partsOf(name));
  return channel ? channelOf(name.instanceId, name.environment)(channel) : 'busy';
}

const channelOf =
  (instanceId: string, environment: string) =>
  ({ interest, bundle_identifier: bundleIdentifier, channel_id: channelId, stores_latest }: ChannelRow) => ({
    instanceId,
    environment,
    interest,
    bundleIdentifier,
    channelId,
    storesLatest: Number(stores_latest) === 1,
  });
