import { Column, Entity, ForeignKey, PrimaryColumn } from 'typeorm';
import { PublishEntity } from './publish.entity.js';

/** The progress of one partition of a publish. The table and its columns keep the former name, lane. */
@Entity('rookery_publish_lanes', { withoutRowid: true })
@ForeignKey(() => PublishEntity, ['publishId'], ['id'], {
  name: 'rookery_publish_lanes_of_publish',
  onDelete: 'CASCADE',
})
export class PublishPartitionEntity {
  @PrimaryColumn({ type: 'text', name: 'publish_id', collation: 'C' })
  publishId!: string;

  /** Its name. */
  @PrimaryColumn({ type: 'text', name: 'lane', collation: 'C' })
  partition!: string;

  /** JSON. */
  @Column({ type: 'text', collation: 'C' })
  state!: string;
}
