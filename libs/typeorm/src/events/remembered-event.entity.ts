import { Column, Entity, Index, PrimaryColumn } from 'typeorm';

/** The last event of a cache channel. */
@Entity('rookery_remembered_events')
@Index('rookery_remembered_events_by_end', ['endsAt'])
export class RememberedEventEntity {
  /** The app and the channel. */
  @PrimaryColumn({ type: 'text', collation: 'C' })
  name!: string;

  @Column({ type: 'bigint' })
  position!: number;

  @Column({ type: 'text', collation: 'C' })
  text!: string;

  /** When it is forgotten, in epoch milliseconds. */
  @Column({ type: 'bigint', name: 'ends_at' })
  endsAt!: number;
}
