import { Column, Entity, ForeignKey, Index, PrimaryColumn } from 'typeorm';
import { PublishEntity } from './publish.entity.js';

/** The outcome of one device after its page was saved: it replaces the one in the page. */
@Entity('rookery_publish_later_outcomes', { withoutRowid: true })
@Index('rookery_publish_later_outcomes_by_age', ['savedAt'])
@ForeignKey(() => PublishEntity, ['publishId'], ['id'], {
  name: 'rookery_publish_later_outcomes_of_publish',
  onDelete: 'CASCADE',
})
export class PublishLaterOutcomeEntity {
  @PrimaryColumn({ type: 'text', name: 'publish_id', collation: 'C' })
  publishId!: string;

  @PrimaryColumn({ type: 'text', name: 'device_id', collation: 'C' })
  deviceId!: string;

  /** Epoch milliseconds. */
  @Column({ type: 'bigint', name: 'saved_at' })
  savedAt!: number;

  /** JSON: the outcome and the reason. */
  @Column({ type: 'text', collation: 'C' })
  outcome!: string;
}
