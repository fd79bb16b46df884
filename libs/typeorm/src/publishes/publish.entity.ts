import { Column, Entity, Index, PrimaryColumn } from 'typeorm';

/** An accepted publish. */
@Entity('rookery_publishes')
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

  @Column({ type: 'bigint', name: 'finished_at', nullable: true })
  finishedAt!: number | null;

  @Column({ type: 'bigint', name: 'cancelled_at', nullable: true })
  cancelledAt!: number | null;
}
