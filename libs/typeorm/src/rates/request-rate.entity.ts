import { Entity } from 'typeorm';
import { Integer, TextKey } from '../database/columns.js';

/** How much a name has used of its requests. A name without a row has all of them. */
@Entity('rookery_request_rates', { withoutRowid: true })
export class RequestRateEntity {
  @TextKey() name!: string;
  /** When it has all of its requests again, in epoch microseconds. */
  @Integer('free_at') freeAt!: number;
}
