import { Entity } from 'typeorm';
import { Text, TextKey } from '../database/columns.js';

/** A push instance. Its id is stored in lower case; the rest, including secrets, as JSON. */
@Entity('rookery_instances')
export class InstanceEntity {
  @TextKey() id!: string;
  @Text() settings!: string;
}
