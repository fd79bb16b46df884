import { Column, Entity, PrimaryColumn } from 'typeorm';

/** An event in a channel's history. Some are beyond the bounds of the history already, and deleted soon. */
@Entity('rookery_kept_events', { withoutRowid: true })
export class KeptEventEntity {
  @PrimaryColumn({ type: 'bigint', name: 'history_id' })
  historyId!: number;

  @PrimaryColumn({ type: 'bigint' })
  position!: number;

  /** The position of the event before it in the channel. */
  @Column({ type: 'bigint' })
  previous!: number;

  /** How many events the channel had before it. */
  @Column({ type: 'bigint', name: 'events_before' })
  eventsBefore!: number;

  @Column({ type: 'bigint', name: 'bytes_before' })
  bytesBefore!: number;

  /** The connection that is excluded. */
  @Column({ type: 'text', name: 'socket_id', nullable: true, collation: 'C' })
  socketId!: string | null;

  @Column({ type: 'text', collation: 'C' })
  text!: string;
}
