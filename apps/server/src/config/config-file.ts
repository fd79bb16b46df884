import { App, type AppConfig, type ChannelsOptions, ChannelsSettings } from 'rookery/channels';
import { type Given, IsText, Nested, Optional, rule, settingsOf, Without } from 'rookery/common';
import { ConsoleSettings } from 'rookery/console';
import { AppNotifications, type AppNotificationsConfig } from 'rookery/notifications';
import { type PublishOptions, PublishSettings } from 'rookery/publish';
import {
  ApnsCredentials,
  FcmCredentials,
  Instance,
  type PushDeviceOptions,
  PushDeviceSettings,
} from 'rookery/push-device';
import { RedisTuning } from 'rookery/redis';

/** In place of a key there may be the name of a file that holds it; it is looked for beside the configuration. */
export class ApnsInFile extends ApnsCredentials {
  /** The name of the .p8 file, in place of `key`. */
  @Optional()
  @IsText()
  readonly keyFile?: string;
}
Optional()(ApnsInFile.prototype, 'key');

export class FcmInFile extends FcmCredentials {
  /** The name of the JSON file, in place of `serviceAccount`. */
  @Optional()
  @IsText()
  readonly serviceAccountFile?: string;
}
Optional()(FcmInFile.prototype, 'serviceAccount');

export class InstanceInFile extends Instance {
  @Optional()
  @Nested(() => ApnsInFile)
  override readonly apns?: ApnsInFile = undefined;
  @Optional()
  @Nested(() => FcmInFile)
  override readonly fcm?: FcmInFile = undefined;
}

// A server is its own host: nothing stands before its routes.
const hosting = ['useGlobalPrefix', 'allowGlobalGuards', 'serveRoutes'] as const;

/** The settings of ChannelsModule that a server can have beside its apps. */
export class ChannelsInFile extends Without(ChannelsSettings, 'apps', ...hosting) {}
export type ChannelsServerOptions = Omit<ChannelsOptions, 'apps' | (typeof hosting)[number]>;

// Variables of the environment say these, or the server's database makes them needless.
const elsewhere = ['allowPrivateNetwork', 'allowMemoryInProduction', ...hosting] as const;

/** The settings of PushDeviceModule that a server can have beside its instances. */
export class DevicesInFile extends Without(PushDeviceSettings, 'instances', ...elsewhere) {}
export type DevicesServerOptions = Omit<PushDeviceOptions, 'instances' | (typeof elsewhere)[number]>;

/** The settings of PublishModule that a server can have; its `role` says whether it is a worker. */
export class PublishInFile extends Without(PublishSettings, 'worker', ...elsewhere) {}
export type PublishServerOptions = Omit<PublishOptions, 'worker' | (typeof elsewhere)[number]>;

/** The settings of ConsoleModule that a server can have. */
export class ConsoleInFile extends Without(ConsoleSettings, 'development', 'allowGlobalGuards', 'serveRoutes') {}

/** What a process of the server does: all of it, or what clients ask for, or the sending of publishes. */
export const roles = ['all', 'api', 'worker'] as const;
export type Role = (typeof roles)[number];
export const isRole = (role: unknown): role is Role => roles.some((known) => known === role);

/** What the file may hold that `CONFIG_FILE` names. */
export class ConfigFile {
  /** The apps of Channels. @default none */
  @Nested(() => App, { each: true })
  readonly apps: readonly AppConfig[] = [];
  @Nested(() => ChannelsInFile)
  readonly channels: ChannelsServerOptions = {};
  /** The push instances. @default none */
  @Nested(() => InstanceInFile, { each: true })
  readonly instances: readonly InstanceInFile[] = [];
  @Nested(() => DevicesInFile)
  readonly devices: DevicesServerOptions = {};
  @Nested(() => PublishInFile)
  readonly publish: PublishServerOptions = {};
  /** The apps whose users are told by notifications, and the instances that push them. @default none */
  @Nested(() => AppNotifications, { each: true })
  readonly notifications: readonly AppNotificationsConfig[] = [];
  /** The web console. Where nothing is said of it, it is on in development alone. @default none */
  @Optional()
  @Nested(() => ConsoleInFile)
  readonly console?: ConsoleInFile;
  /** The settings of RedisModule beside its URL, which is in the environment: `REDIS_URL`. */
  @Nested(() => RedisTuning)
  readonly redis: RedisTuning = new RedisTuning();
  /** What this process does; `ROLE` in the environment says otherwise. @default 'all' */
  @rule('isRole', `must be ${roles.join(', ')}`, isRole, { context: { shown: 'string' } }, [roles])
  readonly role: Role = 'all';
  /** Where editors find the schema of this file. */
  @Optional()
  @IsText()
  readonly $schema?: string;
}

/** The file's content once it is checked, with what it says and no defaults. @throws Error naming the setting */
export function checkedFile(content: unknown): Given<ConfigFile> {
  settingsOf(ConfigFile, content);
  return content as Given<ConfigFile>; // It keeps the rules of the class.
}
