import { Column, Entity, Index, PrimaryColumn } from 'typeorm';

/** An app of the Channels API. Its settings, including the secret, are JSON. */
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
