import { Column, Entity, PrimaryColumn } from 'typeorm';

/** A push instance. Its id is stored in lower case; the rest, including secrets, as JSON. */
@Entity('rookery_instances')
export class InstanceEntity {
  @PrimaryColumn({ type: 'text', collation: 'C' })
  id!: string;

  @Column({ type: 'text', collation: 'C' })
  settings!: string;
}
