import { Column, Entity, PrimaryColumn } from 'typeorm';

/** The latest test write of {@link StorageHealth}. */
@Entity('rookery_storage_checks')
export class StorageCheckEntity {
  @PrimaryColumn({ type: 'text', collation: 'C' })
  readonly id!: string;

  @Column({ type: 'text', collation: 'C' })
  readonly padding!: string;
}
