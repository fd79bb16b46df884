import type { ApnsEnvironment } from './apns-environment.js';
import type { Platform } from './platform.js';

/** A registered device (api § Device). */
export interface Device {
  /** `<platform>-<uuid4>` */
  readonly id: string;
  readonly instanceId: string;
  readonly platform: Platform;
  /** The gateway's token: hex for apns, opaque for fcm, base64 of the PushSubscription's JSON for web. */
  readonly token: string;
  /** Only apns devices always have one. */
  readonly bundleIdentifier?: string;
  readonly userId?: string;
  readonly metadata: Readonly<Record<string, string>>;
  /** Epoch ms of the latest registration of this token: APNs' 410 counts only if it is later (beams-wire §11.1). */
  readonly registeredAt: number;
  /** Epoch ms of the gateway's first report that the token is gone; absent: there is none since it registered. */
  readonly goneSince?: number;
  /** Apple's environment that issued the token: the device named it, or Apple's answers showed it. Absent: not known. */
  readonly environment?: ApnsEnvironment;
  /** The name of the VAPID key with which the browser subscribed. Absent: it registered before names were kept. */
  readonly vapidKey?: string;
}

/** The part of a device that a fan-out needs. */
export type DeviceAddress = Omit<Device, 'instanceId' | 'metadata'>;

/** The devices that a publish is for: those subscribed to its interests, or the devices of the users. */
export type PublishTarget = TargetInterests | { readonly users: readonly string[]; readonly interests?: undefined };

/** A device is in the audience if it is subscribed to any of `interests`, to all of `allOf` and to none of `noneOf`. */
export interface TargetInterests {
  readonly interests: readonly string[];
  readonly allOf?: readonly string[];
  readonly noneOf?: readonly string[];
  readonly users?: undefined;
}

/** Whether `interests` alone do not decide which devices are in the audience. */
export const isCombined = (target: PublishTarget): target is TargetInterests =>
  target.interests !== undefined && [target.allOf, target.noneOf].some((names) => names && names.length > 0);
