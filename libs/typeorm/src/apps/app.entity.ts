import { Column, Entity, Index, PrimaryColumn } from 'typeorm';

/** An app of the Channels API. Its settings, the secret included, are JSON. */
@Entity('rookery_apps')
@Index('rookery_apps_by_key', ['key'], { unique: true })
export class AppEntity {
  @PrimaryColumn({ type: 'text', collation: 'C' })
  id!: string;

  @Column({ type: 'text', collation: 'C' })
  key!: string;

  @Column({ type: 'text', collation: 'C' })
  settings!: string;
}
