import { Column, Entity, PrimaryColumn } from 'typeorm';

/** The number of devices that reported, in parts that add up, so that concurrent reports do not wait for one row. */
@Entity('rookery_report_counts', { withoutRowid: true })
export class ReportCountEntity {
  @PrimaryColumn({ type: 'text', name: 'publish_id', collation: 'C' })
  publishId!: string;

  @PrimaryColumn({ type: 'text', collation: 'C' })
  platform!: string;

  @PrimaryColumn({ type: 'text', collation: 'C' })
  event!: string;

  @PrimaryColumn({ type: 'bigint' })
  part!: number;

  @Column({ type: 'bigint' })
  count!: number;
}
