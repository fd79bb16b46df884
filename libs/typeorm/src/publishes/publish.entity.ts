import { Column, Entity, Index, PrimaryColumn } from 'typeorm';

/** An accepted publish, and its owner. */
@Entity('rookery_publishes')
@Index('rookery_publishes_by_due', ['dueAt'])
@Index('rookery_publishes_by_finish', ['finishedAt'])
@Index('rookery_publishes_latest', ['instanceId', 'createdAt', 'id'])
export class PublishEntity {
  @PrimaryColumn({ type: 'text', collation: 'C' })
  id!: string;

  @Column({ type: 'text', name: 'instance_id', collation: 'C' })
  instanceId!: string;

  /** JSON: the audience, the payloads, webhookUrl and publishAt. */
  @Column({ type: 'text', collation: 'C' })
  body!: string;

  /** Epoch milliseconds, as all times here. */
  @Column({ type: 'bigint', name: 'created_at' })
  createdAt!: number;

  /**
   * When it may be claimed: while it is held, the end of the lease. Null once it has finished, and while only ranges that
   * were handed over are left of it.
   */
  @Column({ type: 'bigint', name: 'due_at', nullable: true })
  dueAt!: number | null;

  @Column({ type: 'text', collation: 'C', nullable: true })
  owner!: string | null;

  @Column({ type: 'bigint', name: 'finished_at', nullable: true })
  finishedAt!: number | null;

  @Column({ type: 'bigint', name: 'cancelled_at', nullable: true })
  cancelledAt!: number | null;

  /** Since when an idle worker would take over a range of it. */
  @Column({ type: 'bigint', name: 'wanted_at', nullable: true })
  wantedAt!: number | null;
}
