import { Entity } from 'typeorm';
import { Integer, IntegerKey, Text, TextKey } from '../database/columns.js';

/** What one process recorded for a while, for the console's "Why?". */
@Entity('rookery_trace_blocks')
export class TraceBlockEntity {
  /** Epoch milliseconds, as `since`. */
  @IntegerKey() readonly until!: number;
  @TextKey() readonly node!: string;
  @Integer() readonly since!: number;
  /** 1 if something was recorded before it that no block has. */
  @Integer('has_gap') readonly hasGap!: number;
  /** Its length stands before it: to sum up lengths, texts need not be read. */
  @Integer() readonly characters!: number;
  @Text() readonly text!: string;
}
