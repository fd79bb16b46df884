import { Entity } from 'typeorm';
import { Text, TextKey } from '../database/columns.js';

/** What webhooks have reported to be there and not yet to be gone. */
@Entity('rookery_announcements', { withoutRowid: true })
export class AnnouncementEntity {
  /** The app, the channel and the user. */
  @TextKey() name!: string;
  /** The same and the member's info, as JSON. */
  @Text() announcement!: string;
}
