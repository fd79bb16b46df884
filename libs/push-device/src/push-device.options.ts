import { IsBoolean } from 'class-validator';
import { type Given, HostingSettings, IsCount, Nested, Optional } from 'rookery/common';
import { Instance } from './instances/instance.js';

/**
 * How many devices may register in a second, over all processes that share `requestRates`; ten seconds' worth may come at
 * once, then they are answered 429.
 */
export class RegistrationsPerSecond {
  /**
   * From one IPv4 address, or one /64 of IPv6. Private addresses are not counted: behind them is a proxy, and the host's
   * `trustProxy` tells who is behind it.
   * @default 20
   */
  @IsCount(1)
  readonly address: number = 20;
  /** For one instance. @default 1000 */
  @IsCount(1)
  readonly instance: number = 1000;
}

/**
 * How many changes of devices may come in a second: of interests, users, tokens and metadata, and deletions. They are
 * counted as registrations are; a body counts once more for each 16 KiB, such as that of a large set of interests.
 */
export class DeviceWritesPerSecond {
  /** Of one device. @default 20 */
  @IsCount(1)
  readonly device: number = 20;
  /** From one IPv4 address, or one /64 of IPv6; private addresses are not counted. @default 50 */
  @IsCount(1)
  readonly address: number = 50;
  /** For one instance. @default 5000 */
  @IsCount(1)
  readonly instance: number = 5000;
}

/** The settings of PushDeviceModule. */
export class PushDeviceSettings extends HostingSettings {
  /** The instances to serve, unless another InstanceRepository is named. */
  @Optional()
  @Nested(() => Instance, { each: true })
  readonly instances?: readonly Instance[];
  /** The largest request body of the device API, in bytes. @default 2097152 */
  @IsCount(1)
  readonly bodyLimit: number = 2 * 1024 * 1024;
  /**
   * Lets web push subscriptions name `http:` endpoints, for tests on one machine.
   * @default whether the environment says `ALLOW_PRIVATE_NETWORK=true`
   */
  @IsBoolean()
  readonly allowPrivateNetwork: boolean = process.env['ALLOW_PRIVATE_NETWORK'] === 'true';
  /**
   * Answers 401 to the registration of apns and fcm devices where the instance has credentials of other gateways only:
   * nothing could ever be sent to them. Say false where a gateway of yours needs none.
   * @default true
   */
  @IsBoolean()
  readonly requireCredentials: boolean = true;
  /** How many devices may register in a second. @default { address: 20, instance: 1000 } */
  @Nested(() => RegistrationsPerSecond)
  readonly registrationsPerSecond: RegistrationsPerSecond = new RegistrationsPerSecond();
  /** How many changes of devices may come in a second. @default { device: 20, address: 50, instance: 5000 } */
  @Nested(() => DeviceWritesPerSecond)
  readonly writesPerSecond: DeviceWritesPerSecond = new DeviceWritesPerSecond();
  /**
   * Removes devices that were neither registered nor seen for so many days, with their interests and user. A device is
   * seen when it changes anything, asks for its interests, or reports a notification. Off unless it is set.
   */
  @Optional()
  @IsCount(1)
  readonly expireUnseenAfterDays?: number;
  /** Keep devices in memory although `NODE_ENV` is `production`: they are lost on restart. @default false */
  @IsBoolean()
  readonly allowMemoryInProduction: boolean = false;
}

/** What `PushDeviceModule.forRoot` takes besides its ports. */
export type PushDeviceOptions = Given<PushDeviceSettings>;

/** Injection token of the module's options. */
export const pushDeviceOptions = Symbol('PushDeviceOptions');
