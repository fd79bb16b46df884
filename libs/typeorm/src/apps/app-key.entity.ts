import { Column, Entity, Index, PrimaryColumn } from 'typeorm';

/** One of the keys of an app. */
@Entity('rookery_app_keys')
@Index('rookery_app_keys_by_app', ['appId'])
export class AppKeyEntity {
  @PrimaryColumn({ type: 'text', collation: 'C' })
  key!: string;

  @Column({ type: 'text', name: 'app_id', collation: 'C' })
  appId!: string;
}
