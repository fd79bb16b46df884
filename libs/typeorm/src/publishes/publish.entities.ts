import { Entity, ForeignKey, Index } from 'typeorm';
import { Integer, NullableInteger, Text, TextKey } from '../database/columns.js';

/** An accepted publish. */
@Entity('rookery_publishes')
@Index('rookery_publishes_by_finish', ['finishedAt'])
@Index('rookery_publishes_latest', ['instanceId', 'createdAt', 'id'])
export class PublishEntity {
  @TextKey() id!: string;
  @Text('instance_id') instanceId!: string;
  /** JSON: the audience, the payloads, webhookUrl and publishAt; with combined interests, all of it in `combined`. */
  @Text() body!: string;
  /** Epoch milliseconds, as all times here. */
  @Integer('created_at') createdAt!: number;
  @NullableInteger('finished_at') finishedAt!: number | null;
  @NullableInteger('cancelled_at') cancelledAt!: number | null;
}

/** Deletes a row with its publish. */
const OfPublish = (name: string): ClassDecorator =>
  ForeignKey(() => PublishEntity, ['publishId'], ['id'], { name, onDelete: 'CASCADE' });

/** The progress of one partition of a publish. */
@Entity('rookery_publish_partitions', { withoutRowid: true })
@OfPublish('rookery_publish_partitions_of_publish')
export class PublishPartitionEntity {
  @TextKey('publish_id') publishId!: string;
  /** Its name. */
  @TextKey() partition!: string;
  /** JSON. */
  @Text() state!: string;
}

/** A device that a publish must retry. */
@Entity('rookery_publish_retries', { withoutRowid: true })
@Index('rookery_publish_retries_by_due', ['publishId', 'partition', 'dueAt'])
@OfPublish('rookery_publish_retries_of_publish')
export class PublishRetryEntity {
  @TextKey('publish_id') publishId!: string;
  /** The partition's name. */
  @TextKey() partition!: string;
  @TextKey('device_id') deviceId!: string;
  @Integer() attempts!: number;
  /** Epoch milliseconds. */
  @Integer('due_at') dueAt!: number;
}

/** The outcomes of one page of devices. One row per page, because one per device would cost many times as much. */
@Entity('rookery_publish_outcomes')
@Index('rookery_publish_outcomes_by_age', ['savedAt'])
@OfPublish('rookery_publish_outcomes_of_publish')
export class PublishOutcomesEntity {
  @TextKey('publish_id') publishId!: string;
  /** The id of the last device of the page; pages come in the order of ids. */
  @TextKey('last_id') lastId!: string;
  /** Epoch milliseconds. */
  @Integer('saved_at') savedAt!: number;
  /** JSON: the ids of the devices by outcome and reason. */
  @Text() devices!: string;
}

/** The outcome of one device after its page was saved: it replaces the one in the page. */
@Entity('rookery_publish_later_outcomes', { withoutRowid: true })
@Index('rookery_publish_later_outcomes_by_age', ['savedAt'])
@OfPublish('rookery_publish_later_outcomes_of_publish')
export class PublishLaterOutcomeEntity {
  @TextKey('publish_id') publishId!: string;
  @TextKey('device_id') deviceId!: string;
  /** Epoch milliseconds. */
  @Integer('saved_at') savedAt!: number;
  /** JSON: the outcome and the reason. */
  @Text() outcome!: string;
}

/** An `Idempotency-Key` and its publish, which it may outlive. */
@Entity('rookery_publish_keys', { withoutRowid: true })
@Index('rookery_publish_keys_by_expiry', ['expiresAt'])
export class PublishKeyEntity {
  @TextKey('instance_id') instanceId!: string;
  @TextKey('once_key') onceKey!: string;
  @Text() fingerprint!: string;
  @Text('publish_id') publishId!: string;
  /** Epoch milliseconds. */
  @Integer('expires_at') expiresAt!: number;
}
