import { Entity, Index } from 'typeorm';
import { Integer, TextKey } from '../database/columns.js';

/** The latest change of an app or instance, even a removed one. Versions count up across all of a kind. */
@Entity('rookery_setting_changes')
@Index('rookery_setting_changes_by_version', ['kind', 'version'])
export class SettingChangeEntity {
  /** `app` or `instance`. */
  @TextKey() kind!: string;
  @TextKey() id!: string;
  @Integer() version!: string;
}
