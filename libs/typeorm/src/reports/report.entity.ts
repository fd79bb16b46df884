import { Entity, PrimaryColumn } from 'typeorm';

/** A device's word on a publish. It is all key, so it is there once; the counts are read in its order. */
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
