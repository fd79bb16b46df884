import { Entity, Index } from 'typeorm';
import { Text, TextKey } from '../database/columns.js';

/** An app of the Channels API. Its settings, including the secret, are JSON. */
@Entity('rookery_apps')
@Index('rookery_apps_by_key', ['key'], { unique: true })
export class AppEntity {
  @TextKey() id!: string;
  @Text() key!: string;
  @Text() settings!: string;
}

/** One of the keys of an app. */
@Entity('rookery_app_keys')
@Index('rookery_app_keys_by_app', ['appId'])
export class AppKeyEntity {
  @TextKey() key!: string;
  @Text('app_id') appId!: string;
}
