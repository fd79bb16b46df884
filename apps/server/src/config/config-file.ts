import { IsBoolean } from 'class-validator';
import { App, type AppConfig, type ChannelsOptions, ChannelsSettings } from 'rookery/channels';
import { type Given, IsText, Nested, Optional, rule, settingsOf, Without } from 'rookery/internal/common';
import { ConsoleSettings } from '@rookery/console';
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

/** Instead of a key, the file may name another file that contains it, relative to the configuration. */
export class ApnsInFile extends ApnsCredentials {
  /** A .p8 file, in place of `key`. */
  @Optional()
  @IsText()
  readonly keyFile?: string;
}
Optional()(ApnsInFile.prototype, 'key');

export class FcmInFile extends FcmCredentials {
  /** A JSON file, in place of `serviceAccount`. */
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

// The server is its own host, so its routes have no prefix.
const hosting = ['useGlobalPrefix', 'allowGlobalGuards', 'globalInterceptors', 'serveRoutes'] as const;

// The apps have a part of their own, proxies and private addresses a variable of the environment, only the development
// app is local, and the server's callers name their app.
const outside = ['apps', 'defaultApp', 'localOnly', 'trustProxy', 'allowPrivateNetwork', ...hosting] as const;

/** The settings of ChannelsModule that the file may contain, besides the apps. */
export class ChannelsInFile extends Without(ChannelsSettings, ...outside) {}
export type ChannelsServerOptions = Omit<ChannelsOptions, (typeof outside)[number]>;

// Set by environment variables, or needless because the server has a database.
const elsewhere = ['allowPrivateNetwork', 'allowMemoryInProduction', ...hosting] as const;
const outsideOfDevices = ['instances', 'defaultInstance', 'localOnly', ...elsewhere] as const;

/** The settings of PushDeviceModule that the file may contain, besides the instances. */
export class DevicesInFile extends Without(PushDeviceSettings, ...outsideOfDevices) {}
export type DevicesServerOptions = Omit<PushDeviceOptions, (typeof outsideOfDevices)[number]>;

/** The settings of PublishModule that the file may contain; `role` decides whether the process is a worker. */
export class PublishInFile extends Without(PublishSettings, 'worker', ...elsewhere) {}
export type PublishServerOptions = Omit<PublishOptions, 'worker' | (typeof elsewhere)[number]>;

/** The settings of ConsoleModule that the file may contain. */
export class ConsoleInFile extends Without(
  ConsoleSettings,
  'development',
  'allowGlobalGuards',
  'globalInterceptors',
  'serveRoutes',
) {}

/** What a server process does: everything, only serving clients, or only sending publishes. */
export const roles = ['all', 'api', 'worker'] as const;
export type Role = (typeof roles)[number];
export const isRole = (role: unknown): role is Role => roles.some((known) => known === role);

/** The content of the file that `CONFIG_FILE` names. */
export class ConfigFile {
  /** The apps of Channels. @default none */
  @Nested(() => App, { each: true })
  readonly apps: readonly AppConfig[] = [];
  @Nested(() => ChannelsInFile)
  readonly channels: ChannelsServerOptions = {};
  /** Reads plain triggers directly from their connections, past the router: several times as fast. */
  @IsBoolean()
  readonly bypassRouter: boolean = true;
  /** The instances of Beams: each has its own devices and credentials. @default none */
  @Nested(() => InstanceInFile, { each: true })
  readonly instances: readonly InstanceInFile[] = [];
  @Nested(() => DevicesInFile)
  readonly devices: DevicesServerOptions = {};
  @Nested(() => PublishInFile)
  readonly publish: PublishServerOptions = {};
  /** Apps whose users get notifications, and their instances. @default none */
  @Nested(() => AppNotifications, { each: true })
  readonly notifications: readonly AppNotificationsConfig[] = [];
  /** The web console. If unset, the console is on only with `CONSOLE_PASSWORD`, or in development. @default none */
  @Optional()
  @Nested(() => ConsoleInFile)
  readonly console?: ConsoleInFile;
  /** Settings of RedisModule; its URL is in `REDIS_URL`. */
  @Nested(() => RedisTuning)
  readonly redis: RedisTuning = new RedisTuning();
  /**
   * What this process does: everything, only serve clients (`api`), or only send publishes (`worker`). `ROLE` in the
   * environment overrides it. @default 'all'
   */
  @rule('isRole', `must be ${roles.join(', ')}`, isRole, { context: { shown: 'string' } }, [roles])
  readonly role: Role = 'all';
  /** The path of this file's schema, with which editors validate it. */
  @Optional()
  @IsText()
  readonly $schema?: string;
}

/** The file's checked content, without defaults. @throws Error naming the setting */
export function checkedFile(content: unknown): Given<ConfigFile> {
  settingsOf(ConfigFile, content);
  return content as Given<ConfigFile>; // It satisfies the rules of the class.
}
