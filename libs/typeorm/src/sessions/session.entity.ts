import { Column, Entity, Index } from 'typeorm';
import { Integer, Text, TextKey } from '../database/columns.js';

/** A client with a session. */
@Entity('rookery_sessions')
@Index('rookery_sessions_by_end', ['endsAt'])
export class SessionEntity {
  /** The app, the key and the client's id. */
  @TextKey() name!: string;
  /** Its socket ids and user, as JSON. */
  @Text() state!: string;
  /** When its current connection was opened, in epoch milliseconds. */
  @Integer('opened_at') openedAt!: number;
  /** When it is forgotten, in epoch milliseconds, or somewhat later. */
  @Integer('ends_at') endsAt!: number;
  /** Approximately, with its positions. */
  @Column({ type: 'bigint', default: 0 }) bytes!: number;
}

/** The position up to which a client with a session has received a channel's events. */
@Entity('rookery_session_positions', { withoutRowid: true })
export class SessionPositionEntity {
  /** The session's name. */
  @TextKey() session!: string;
  @TextKey() channel!: string;
  @Text() position!: string;
}
