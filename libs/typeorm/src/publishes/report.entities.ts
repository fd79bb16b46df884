import { Entity } from 'typeorm';
import { Integer, IntegerKey, TextKey } from '../database/columns.js';

/** A device's report on a publish. All columns are the key, so each is stored once; counts are read in key order. */
@Entity('rookery_reports', { withoutRowid: true })
export class ReportEntity {
  @TextKey('publish_id') publishId!: string;
  @TextKey() platform!: string;
  @TextKey() event!: string;
  @TextKey('device_id') deviceId!: string;
}

/** The number of devices that reported, in parts that add up, so that concurrent reports do not wait for one row. */
@Entity('rookery_report_counts', { withoutRowid: true })
export class ReportCountEntity {
  @TextKey('publish_id') publishId!: string;
  @TextKey() platform!: string;
  @TextKey() event!: string;
  @IntegerKey() part!: number;
  @Integer() count!: number;
}
