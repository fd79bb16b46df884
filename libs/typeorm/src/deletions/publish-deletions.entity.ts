import { Column, Entity, Index, PrimaryColumn } from 'typeorm';

/** The numbers of held and of removed devices, among those that a publish found gone. */
@Entity('rookery_publish_deletions', { withoutRowid: true })
@Index('rookery_publish_deletions_held', ['instanceId', 'platform', 'held'], { where: 'held > 0' })
export class PublishDeletionsEntity {
  @PrimaryColumn({ type: 'text', name: 'publish_id', collation: 'C' })
  publishId!: string;

  @PrimaryColumn({ type: 'text', collation: 'C' })
  platform!: string;

  @Column({ type: 'text', name: 'instance_id', collation: 'C' })
  instanceId!: string;

  @Column({ type: 'bigint' })
  held!: number;

  @Column({ type: 'bigint' })
  removed!: number;
}
