import { Entity } from 'typeorm';
import { Integer, Text, TextKey } from '../database/columns.js';

/** How an endpoint of webhooks answered last, for the console. */
@Entity('rookery_endpoint_healths', { withoutRowid: true })
export class EndpointHealthEntity {
  @TextKey() readonly owner!: string;
  @TextKey() readonly url!: string;
  /** The last attempt, in epoch milliseconds. */
  @Integer() readonly at!: number;
  /** JSON. */
  @Text() readonly text!: string;
}
