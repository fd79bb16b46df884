import { Column, Entity, ForeignKey, Index, PrimaryColumn } from 'typeorm';
import { PublishEntity } from './publish.entity.js';

/** A device that a publish must retry. */
@Entity('rookery_publish_retries', { withoutRowid: true })
@Index('rookery_publish_retries_by_due', ['publishId', 'partition', 'dueAt'])
@ForeignKey(() => PublishEntity, ['publishId'], ['id'], {
  name: 'rookery_publish_retries_of_publish',
  onDelete: 'CASCADE',
})
export class PublishRetryEntity {
  @PrimaryColumn({ type: 'text', name: 'publish_id', collation: 'C' })
  publishId!: string;

  /** The partition's name. */
  @PrimaryColumn({ type: 'text', name: 'lane', collation: 'C' })
  partition!: string;

  @PrimaryColumn({ type: 'text', name: 'device_id', collation: 'C' })
  deviceId!: string;

  @Column({ type: 'bigint' })
  attempts!: number;

  /** Epoch milliseconds. */
  @Column({ type: 'bigint', name: 'due_at' })
  dueAt!: number;
}
