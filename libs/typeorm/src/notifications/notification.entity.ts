import { Entity, Index } from 'typeorm';
import { Integer, NullableInteger, NullableText, Text, TextKey } from '../database/columns.js';

/** A notification of a user, and the times of its state changes. */
@Entity('rookery_notifications')
@Index('rookery_notifications_by_age', ['appId', 'createdAt'])
@Index('rookery_notifications_of_user', ['appId', 'userId', 'createdAt', 'id'])
@Index('rookery_notifications_unread', ['appId', 'userId'], { where: '"read_at" IS NULL AND "withdrawn_at" IS NULL' })
@Index('rookery_notifications_pushed', ['appId', 'userId', 'pushedAt'], { where: '"pushed_at" IS NOT NULL' })
export class NotificationEntity {
  @TextKey() id!: string;
  @Text('app_id') appId!: string;
  @Text('user_id') userId!: string;
  @Text('event_name') eventName!: string;
  /** JSON. */
  @Text('event_data') eventData!: string;
  /** JSON: the payloads for the user's devices. */
  @NullableText() push!: string | null;
  @NullableText('collapse_key') collapseKey!: string | null;
  /** JSON: when not to wake devices. */
  @NullableText('quiet_hours') quietHours!: string | null;
  /** Epoch milliseconds, as all times here. */
  @Integer('created_at') createdAt!: number;
  /** When to push it to the devices. */
  @NullableInteger('push_at') pushAt!: number | null;
  @NullableInteger('shown_at') shownAt!: number | null;
  @NullableInteger('pushed_at') pushedAt!: number | null;
  @NullableText('publish_id') publishId!: string | null;
  @NullableInteger('skipped_at') skippedAt!: number | null;
  @NullableInteger('read_at') readAt!: number | null;
  @NullableInteger('withdrawn_at') withdrawnAt!: number | null;
}
