import { Column, Entity, Index, PrimaryColumn } from 'typeorm';

/** The latest change of an app or instance, even a removed one. Versions count up across all of a kind. */
@Entity('rookery_setting_changes')
@Index('rookery_setting_changes_by_version', ['kind', 'version'])
export class SettingChangeEntity {
  /** `app` or `instance`. */
  @PrimaryColumn({ type: 'text', collation: 'C' })
  kind!: string;

  @PrimaryColumn({ type: 'text', collation: 'C' })
  id!: string;

  @Column({ type: 'bigint' })
  version!: string;
}
