import { Entity } from 'typeorm';
import { Integer, NullableInteger, NullableText, Text, TextKey } from '../database/columns.js';

/** The broadcast channel of an interest at Apple, or the right of one process to create it. */
@Entity('rookery_broadcast_channels', { withoutRowid: true })
export class BroadcastChannelEntity {
  @TextKey('instance_id') instanceId!: string;
  @TextKey() environment!: string;
  @TextKey() interest!: string;
  @TextKey('bundle_identifier') bundleIdentifier!: string;
  /** Null until the channel exists. */
  @NullableText('channel_id') channelId!: string | null;
  /** 1 or 0. */
  @Integer('stores_latest') storesLatest!: number;
  @NullableText('reserved_by') reservedBy!: string | null;
  /** Epoch milliseconds. */
  @NullableInteger('reserved_until') reservedUntil!: number | null;
}

/** The token with which Apple starts a Live Activity on a device. */
@Entity('rookery_start_tokens', { withoutRowid: true })
export class StartTokenEntity {
  @TextKey('instance_id') instanceId!: string;
  @TextKey('device_id') deviceId!: string;
  @Text() token!: string;
}
