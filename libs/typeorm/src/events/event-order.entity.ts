import { Column, Entity, PrimaryColumn } from 'typeorm';

/** One row: the order of all kept events. A position is a count that follows the clock, in epoch microseconds. */
@Entity('rookery_event_order')
export class EventOrderEntity {
  @PrimaryColumn({ type: 'text', collation: 'C' })
  name!: string;

  /** The position before the first event: this database knows nothing of earlier ones. */
  @Column({ type: 'bigint' })
  first!: number;

  /** The position of the latest event. */
  @Column({ type: 'bigint' })
  latest!: number;

  /** The latest event of the histories that were forgotten entirely. */
  @Column({ type: 'bigint' })
  forgotten!: number;
}
