import { Entity } from 'typeorm';
import { Text, TextKey } from '../database/columns.js';

/** The latest test write of {@link StorageHealth}. */
@Entity('rookery_storage_checks')
export class StorageCheckEntity {
  @TextKey() readonly id!: string;
  @Text() readonly padding!: string;
}
