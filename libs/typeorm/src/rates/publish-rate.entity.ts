import { Column, Entity, PrimaryColumn } from 'typeorm';

/** How far an instance has used up its requests. */
@Entity('rookery_publish_rates', { withoutRowid: true })
export class PublishRateEntity {
  @PrimaryColumn({ type: 'text', name: 'instance_id', collation: 'C' })
  instanceId!: string;

  /** When all of its requests are earned back, in epoch microseconds. */
  @Column({ type: 'bigint', name: 'free_at' })
  freeAt!: number;
}
