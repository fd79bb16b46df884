import { Entity, ForeignKey, Index } from 'typeorm';
import { Integer, NullableInteger, NullableText, Text, TextKey } from '../database/columns.js';

/** A registered device. The hash of its token ensures one row per token, however long tokens are. */
@Entity('rookery_devices')
@Index('rookery_devices_by_token', ['instanceId', 'tokenHash'], { unique: true })
@Index('rookery_devices_by_user', ['instanceId', 'userId', 'id'])
@Index('rookery_devices_by_age', ['instanceId', 'registeredAt', 'id'])
export class DeviceEntity {
  @TextKey() id!: string;
  @Text('instance_id') instanceId!: string;
  @Text() platform!: string;
  @Text() token!: string;
  @Text('token_hash') tokenHash!: string;
  @NullableText('bundle_identifier') bundleIdentifier!: string | null;
  @NullableText('user_id') userId!: string | null;
  /** JSON. */
  @Text() metadata!: string;
  /** Epoch milliseconds. */
  @Integer('registered_at') registeredAt!: number;
  /** Epoch milliseconds, precise to the day. Null until devices expire. */
  @NullableInteger('seen_at') seenAt!: number | null;
  /** Epoch milliseconds of the gateway's first report that the token is gone. */
  @NullableInteger('gone_since') goneSince!: number | null;
  /** Apple's: `production` or `sandbox`; null if it is not known. */
  @NullableText() environment!: string | null;
  /** The name of the VAPID key with which the browser subscribed. */
  @NullableText('vapid_key') vapidKey!: string | null;
}

/** A device's interest. The key serves audience queries, page by page; the index serves the list of one device. */
@Entity('rookery_device_interests', { withoutRowid: true })
@Index('rookery_device_interests_by_device', ['deviceId', 'interest'])
@ForeignKey(() => DeviceEntity, ['deviceId'], ['id'], {
  name: 'rookery_device_interests_of_device',
  onDelete: 'CASCADE',
})
export class DeviceInterestEntity {
  @TextKey('instance_id') instanceId!: string;
  @TextKey() interest!: string;
  @TextKey('device_id') deviceId!: string;
}
