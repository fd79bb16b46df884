import { Entity, PrimaryColumn } from 'typeorm';

/** A device's report on a publish. All columns are the key, so each is stored once; counts are read in key order. */
@Entity('rookery_reports', { withoutRowid: true })
export class ReportEntity {
  @PrimaryColumn({ type: 'text', name: 'publish_id', collation: 'C' })
  publishId!: string;

  @PrimaryColumn({ type: 'text', collation: 'C' })
  platform!: string;

  @PrimaryColumn({ type: 'text', collation: 'C' })
  event!: string;

  @PrimaryColumn({ type: 'text', name: 'device_id', collation: 'C' })
  deviceId!: string;
}
