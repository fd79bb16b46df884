import { Column, Entity, ForeignKey, Index, PrimaryColumn } from 'typeorm';
import { PublishEntity } from './publish.entity.js';

/** The outcomes of one page of devices. One row per page, because one per device would cost many times as much. */
@Entity('rookery_publish_outcomes')
@Index('rookery_publish_outcomes_by_age', ['savedAt'])
@ForeignKey(() => PublishEntity, ['publishId'], ['id'], {
  name: 'rookery_publish_outcomes_of_publish',
  onDelete: 'CASCADE',
})
export class PublishOutcomesEntity {
  @PrimaryColumn({ type: 'text', name: 'publish_id', collation: 'C' })
  publishId!: string;

  /** The id of the last device of the page; pages come in the order of ids. */
  @PrimaryColumn({ type: 'text', name: 'last_id', collation: 'C' })
  lastId!: string;

  /** Epoch milliseconds. */
  @Column({ type: 'bigint', name: 'saved_at' })
  savedAt!: number;

  /** JSON: the ids of the devices by outcome and reason. */
  @Column({ type: 'text', collation: 'C' })
  devices!: string;
}
