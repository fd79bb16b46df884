import { Column, Entity, Index, PrimaryColumn } from 'typeorm';

/** What a client with a session has received. */
@Entity('rookery_sessions')
@Index('rookery_sessions_by_end', ['endsAt'])
export class SessionEntity {
  /** The app, the key and the client's id. */
  @PrimaryColumn({ type: 'text', collation: 'C' })
  name!: string;

  /** Its socket ids, positions and user, as JSON. */
  @Column({ type: 'text', collation: 'C' })
  state!: string;

  /** When its current connection was opened, in epoch milliseconds. */
  @Column({ type: 'bigint', name: 'opened_at' })
  openedAt!: number;

  /** When it is forgotten, in epoch milliseconds. */
  @Column({ type: 'bigint', name: 'ends_at' })
  endsAt!: number;
}
