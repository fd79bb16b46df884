import { Column, Entity, Index, PrimaryColumn } from 'typeorm';

/** A notification of a user, and the times of its state changes. */
@Entity('rookery_notifications')
@Index('rookery_notifications_by_due', ['dueAt'])
@Index('rookery_notifications_by_age', ['appId', 'createdAt'])
@Index('rookery_notifications_of_user', ['appId', 'userId', 'createdAt', 'id'])
@Index('rookery_notifications_unread', ['appId', 'userId'], { where: '"read_at" IS NULL AND "withdrawn_at" IS NULL' })
@Index('rookery_notifications_pushed', ['appId', 'userId', 'pushedAt'], { where: '"pushed_at" IS NOT NULL' })
export class NotificationEntity {
  @PrimaryColumn({ type: 'text', collation: 'C' })
  id!: string;

  @Column({ type: 'text', name: 'app_id', collation: 'C' })
  appId!: string;

  @Column({ type: 'text', name: 'user_id', collation: 'C' })
  userId!: string;

  @Column({ type: 'text', name: 'event_name', collation: 'C' })
  eventName!: string;

  /** JSON. */
  @Column({ type: 'text', name: 'event_data', collation: 'C' })
  eventData!: string;

  /** JSON: the payloads for the user's devices. */
  @Column({ type: 'text', collation: 'C', nullable: true })
  push!: string | null;

  @Column({ type: 'text', name: 'collapse_key', collation: 'C', nullable: true })
  collapseKey!: string | null;

  /** JSON: when not to wake devices. */
  @Column({ type: 'text', name: 'quiet_hours', collation: 'C', nullable: true })
  quietHours!: string | null;

  /** Epoch milliseconds, as all times here. */
  @Column({ type: 'bigint', name: 'created_at' })
  createdAt!: number;

  /** When to push it to the devices. */
  @Column({ type: 'bigint', name: 'push_at', nullable: true })
  pushAt!: number | null;

  /**
   * When a process of the release before, which had no jobs for notifications, can claim it; for a claimed one, the end
   * of the lease. Here always null: see NotificationJobs.
   */
  @Column({ type: 'bigint', name: 'due_at', nullable: true })
  dueAt!: number | null;

  @Column({ type: 'text', collation: 'C', nullable: true })
  owner!: string | null;

  @Column({ type: 'bigint', name: 'shown_at', nullable: true })
  shownAt!: number | null;

  @Column({ type: 'bigint', name: 'pushed_at', nullable: true })
  pushedAt!: number | null;

  @Column({ type: 'text', name: 'publish_id', collation: 'C', nullable: true })
  publishId!: string | null;

  @Column({ type: 'bigint', name: 'skipped_at', nullable: true })
  skippedAt!: number | null;

  @Column({ type: 'bigint', name: 'read_at', nullable: true })
  readAt!: number | null;

  @Column({ type: 'bigint', name: 'withdrawn_at', nullable: true })
  withdrawnAt!: number | null;
}
