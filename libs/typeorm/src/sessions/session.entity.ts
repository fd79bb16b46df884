import { Entity, Index } from 'typeorm';
import { Integer, Text, TextKey } from '../database/columns.js';

/** What a client with a session has received. */
@Entity('rookery_sessions')
@Index('rookery_sessions_by_end', ['endsAt'])
export class SessionEntity {
  /** The app, the key and the client's id. */
  @TextKey() name!: string;
  /** Its socket ids, positions and user, as JSON. */
  @Text() state!: string;
  /** When its current connection was opened, in epoch milliseconds. */
  @Integer('opened_at') openedAt!: number;
  /** When it is forgotten, in epoch milliseconds. */
  @Integer('ends_at') endsAt!: number;
}
