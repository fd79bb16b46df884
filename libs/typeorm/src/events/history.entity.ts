import { Column, Entity, Index, PrimaryColumn } from 'typeorm';

/** A channel with a history. */
@Entity('rookery_histories', { withoutRowid: true })
@Index('rookery_histories_by_due', ['dueAt'])
export class HistoryEntity {
  /** The app and the channel. */
  @PrimaryColumn({ type: 'text', collation: 'C' })
  name!: string;

  /** Short, because each event has it. The position of the first event. */
  @Column({ type: 'bigint' })
  id!: number;

  /** The position of the latest event, kept or not. */
  @Column({ type: 'bigint' })
  latest!: number;

  /** How many events there have been. */
  @Column({ type: 'bigint' })
  count!: number;

  /** The bytes of all events that there have been. */
  @Column({ type: 'bigint' })
  bytes!: number;

  /** The bounds: the latest events that are kept. */
  @Column({ type: 'bigint', name: 'most_events' })
  mostEvents!: number;

  @Column({ type: 'bigint', name: 'most_microseconds' })
  mostMicroseconds!: number;

  @Column({ type: 'bigint', name: 'most_bytes' })
  mostBytes!: number;

  /** When the oldest event expires, in epoch microseconds, or earlier. */
  @Column({ type: 'bigint', name: 'due_at' })
  dueAt!: number;
}
