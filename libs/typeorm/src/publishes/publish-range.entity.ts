import { Column, Entity, ForeignKey, Index, PrimaryColumn } from 'typeorm';
import { PublishEntity } from './publish.entity.js';

/** An unfinished range of a publish, and its owner. */
@Entity('rookery_publish_ranges', { withoutRowid: true })
@Index('rookery_publish_ranges_by_due', ['dueAt'])
@ForeignKey(() => PublishEntity, ['publishId'], ['id'], {
  name: 'rookery_publish_ranges_of_publish',
  onDelete: 'CASCADE',
})
export class PublishRangeEntity {
  @PrimaryColumn({ type: 'text', name: 'publish_id', collation: 'C' })
  publishId!: string;

  /** The lane's name: the id that it begins after. */
  @PrimaryColumn({ type: 'text', collation: 'C' })
  lane!: string;

  /** Epoch milliseconds: when it may be claimed; while it is held, the end of the lease. */
  @Column({ type: 'bigint', name: 'due_at' })
  dueAt!: number;

  @Column({ type: 'text', collation: 'C', nullable: true })
  owner!: string | null;
}
