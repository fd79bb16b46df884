import type { ApnsEnvironment, DeviceAddress, Instance, Platform } from 'rookery/push-device';
import type { BroadcastChannels } from './broadcast-channels.js';

/** The customer's object for one platform, as in the publish body. */
export type PlatformPayload = Readonly<Record<string, unknown>>;

/** The result for one device's notification. If a later try may succeed, `send` throws {@link SendLater} instead. */
export type Outcome = Verdict & {
  /** The environment of Apple to which the verdict assigns the device, in an instance that serves both. */
  readonly environment?: ApnsEnvironment;
};

type Verdict =
  | { readonly outcome: 'delivered' }
  /**
   * The token is permanently invalid; `before`: only if it was not registered again since (epoch ms; beams-wire §11.1).
   */
  | { readonly outcome: 'unregistered'; readonly before?: number }
  /** This notification cannot be sent to this device; `reason` is the gateway's. The device stays. */
  | { readonly outcome: 'rejected'; readonly reason: string };

/** The gateway is busy or unreachable: try this device again while the TTL lasts. */
export class SendLater extends Error {
  constructor(
    readonly reason: string,
    /** The wait that the gateway requests, in milliseconds. */
    readonly retryAfterMs?: number,
  ) {
    super(reason);
  }
}

/**
 * The instance's credentials or project are wrong: no device of this platform can be reached, and none is at fault.
 * With a bundle identifier, this concerns the devices of that app alone.
 */
export class PlatformFault extends Error {
  constructor(
    message: string,
    readonly bundleIdentifier?: string,
  ) {
    super(message);
  }
}

/** A publish prepared for one platform, once for all its devices. */
export interface Notification {
  readonly instance: Instance;
  readonly publishId: string;
  /** When the publish was accepted or scheduled for, in epoch milliseconds: times to live count from here. */
  readonly publishedAt: number;
  readonly payload: PlatformPayload;
  /** Whether it is sent to broadcast channels: the token of each address is then the id of a channel. */
  readonly isBroadcast?: boolean;
}

/** One publish on one platform, with everything that its devices share. */
export interface PreparedNotification {
  /** How long to keep trying, in milliseconds from `publishedAt`; 0: try once. */
  readonly ttlMs: number;
  /** Can be called concurrently. Throws only {@link SendLater} and {@link PlatformFault}. */
  send(device: DeviceAddress): Promise<Outcome>;
}

/** Why a message cannot be sent to any device, if it is not a message. */
export const rejectedIn = (message: object | { readonly rejected: string }): string | undefined =>
  'rejected' in message ? message.rejected : undefined;

/**
 * One push service. `prepare` builds the parts that all devices share, and returns a `rejected` reason if the payload
 * cannot be sent to any device (for example, if it is too large after injection); it throws {@link PlatformFault} if
 * the instance has no usable credentials. `close` ends connections, and pending sends with {@link SendLater}; a closed
 * gateway is not used again.
 */
export abstract class PushGateway {
  abstract readonly platform: Platform;
  abstract prepare(notification: Notification): Promise<PreparedNotification | { readonly rejected: string }>;
  abstract close(): Promise<void>;

  /**
   * Why the payload can be sent to no device: what `prepare` would return as `rejected`, without credentials or
   * waiting. A publish with such a payload is refused. `undefined`: it can, or only `prepare` knows.
   */
  refusal?(notification: Notification): string | undefined;

  /** Why nothing could be sent to a device with this token, which is then not registered. `undefined`: it could. */
  tokenRefusal?(token: string): string | undefined;

  /** Manages the channels of broadcasts; only Apple has them. */
  readonly channels?: BroadcastChannels;
}
