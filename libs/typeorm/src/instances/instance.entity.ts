import { Column, Entity, PrimaryColumn } from 'typeorm';

/** A push instance. Its id is kept in lower case; the rest, secrets included, as JSON. */
@Entity('rookery_instances')
export class InstanceEntity {
  @PrimaryColumn({ type: 'text', collation: 'C' })
  id!: string;

  @Column({ type: 'text', collation: 'C' })
  settings!: string;
}
