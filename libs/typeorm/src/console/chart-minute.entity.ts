import { Entity } from 'typeorm';
import { IntegerKey, Text, TextKey } from '../database/columns.js';

/** What one process measured in a minute, for the console's charts. */
@Entity('rookery_chart_minutes', { withoutRowid: true })
export class ChartMinuteEntity {
  /** Since 1970. */
  @IntegerKey() readonly minute!: number;
  @TextKey() readonly node!: string;
  /** JSON. */
  @Text() readonly figures!: string;
}
