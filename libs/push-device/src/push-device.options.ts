import { IsArray, IsBoolean } from 'class-validator';
import { type Given, IsCount, IsExactText, IsText, Nested, Optional } from '#common';
import { HostingSettings } from '#http';
import { Instance } from './instance.js';

/**
 * Device registrations per second, over all processes that share `requestRates`; a burst may contain ten seconds'
 * worth, further ones are answered 429.
 */
export class RegistrationsPerSecond {
  /**
   * Per IPv4 address or /64 of IPv6, refused ones included; not private addresses. With the host's `trustProxy`, the
   * client's own address counts. @default 20
   */
  @IsCount(1)
  readonly address: number = 20;
  /** Per instance. @default 1000 */
  @IsCount(1)
  readonly instance: number = 1000;
}

/**
 * Changes of devices per second: of interests, users, tokens and metadata, and deletions. They are counted like
 * registrations; a body counts once more for each 16 KiB, such as that of a large set of interests. The reports of the
 * reporting API have the same rates, counted apart.
 */
export class DeviceWritesPerSecond {
  /** Per device. @default 20 */
  @IsCount(1)
  readonly device: number = 20;
  /** Per IPv4 address or /64 of IPv6; not private addresses. @default 50 */
  @IsCount(1)
  readonly address: number = 50;
  /** Per instance. @default 5000 */
  @IsCount(1)
  readonly instance: number = 5000;
}

/** The settings of PushDeviceModule. */
export class PushDeviceSettings extends HostingSettings {
  /** The instances to serve, unless you provide another InstanceRepository. */
  @Optional()
  @Nested(() => Instance, { each: true })
  readonly instances?: readonly Instance[];
  /** The id of the instance of callers that name none, in all modules. @default the only instance of `instances` */
  @Optional()
  @IsExactText()
  readonly defaultInstance?: string;
  /**
   * The largest set of interests, in bytes: 5000 of 164 characters take 835,018. Other bodies: 32 KiB. @default 1048576
   */
  @IsCount(1)
  readonly bodyLimit: number = 1024 * 1024;
  /**
   * Lets web push subscriptions name `http:` endpoints, for tests on one machine.
   * @default true if the environment has `ALLOW_PRIVATE_NETWORK=true`
   */
  @IsBoolean()
  readonly allowPrivateNetwork: boolean = process.env['ALLOW_PRIVATE_NETWORK'] === 'true';
  /**
   * Ids of instances that only programs and pages of this machine may use, because their secret keys are known:
   * requests with another `Host` or `Origin` are refused. @default none
   */
  @IsArray()
  @IsText({ each: true })
  readonly localOnly: readonly string[] = [];
  /**
   * Refuses registrations of `apns` or `fcm` with 401, if the instance has credentials, but none of that gateway. Set
   * false for a gateway of yours that needs none. @default true
   */
  @IsBoolean()
  readonly requireCredentials: boolean = true;
  /** Device registrations per second. @default { address: 20, instance: 1000 } */
  @Nested(() => RegistrationsPerSecond)
  readonly registrationsPerSecond: RegistrationsPerSecond = new RegistrationsPerSecond();
  /**
   * Changes of devices and, counted apart, reports of notifications, per second.
   * @default { device: 20, address: 50, instance: 5000 }
   */
  @Nested(() => DeviceWritesPerSecond)
  readonly writesPerSecond: DeviceWritesPerSecond = new DeviceWritesPerSecond();
  /** Removes devices that were not seen for so many days. If absent, none are removed. */
  @Optional()
  @IsCount(1)
  readonly expireUnseenAfterDays?: number;
  /** Keep devices in memory although `NODE_ENV` is `production`: they are lost on restart. @default false */
  @IsBoolean()
  readonly allowMemoryInProduction: boolean = false;
}

/** What `PushDeviceModule.forRoot` takes besides its ports. */
export type PushDeviceOptions = Given<PushDeviceSettings>;
