import { Entity, Index } from 'typeorm';
import { Integer, IntegerKey, Text, TextKey } from '../database/columns.js';

/** A device that its gateway reports as gone, not removed yet. */
@Entity('rookery_gone_devices', { withoutRowid: true })
export class GoneDeviceEntity {
  @TextKey('instance_id') instanceId!: string;
  @TextKey() platform!: string;
  @TextKey('device_id') deviceId!: string;
  /** Epoch milliseconds: a device registered later stays. */
  @Integer('registered_until') registeredUntil!: number;
  /** The publish that found it; it may be deleted by now. */
  @Text('publish_id') publishId!: string;
}

/** A gateway's answers about devices, in one part of the deletion guard's window. */
@Entity('rookery_gateway_answers', { withoutRowid: true })
export class GatewayAnswersEntity {
  @TextKey('instance_id') instanceId!: string;
  @TextKey() platform!: string;
  /** Epoch milliseconds. */
  @IntegerKey('answered_at') answeredAt!: number;
  @Integer() sent!: number;
  @Integer() gone!: number;
}

/** The numbers of held and of removed devices, among those that a publish found gone. */
@Entity('rookery_publish_deletions', { withoutRowid: true })
@Index('rookery_publish_deletions_held', ['instanceId', 'platform', 'held'], { where: 'held > 0' })
export class PublishDeletionsEntity {
  @TextKey('publish_id') publishId!: string;
  @TextKey() platform!: string;
  @Text('instance_id') instanceId!: string;
  @Integer() held!: number;
  @Integer() removed!: number;
}
