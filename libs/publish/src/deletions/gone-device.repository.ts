import type { Platform } from 'rookery/push-device';

/** The gateway of one platform of one instance. */
export interface InstancePlatform {
  readonly instanceId: string;
  readonly platform: Platform;
}

/** A device that its gateway says is gone, unless it has registered again after `before`, in epoch milliseconds. */
export interface GoneDevice {
  readonly id: string;
  readonly before: number;
}

/** A device that is believed gone and still there, with the publish that found it. */
export interface HeldDevice extends GoneDevice {
  readonly publishId: string;
}

/** What a gateway has answered about devices: how many it took a notification for, and how many are gone. */
export interface GatewayAnswers {
  readonly sent: number;
  readonly gone: number;
}

/** What a gateway answered to a page of a publish. */
export interface AnsweredPage {
  readonly publishId: string;
  /** When it was, in epoch milliseconds; pages of the same time are counted together. */
  readonly at: number;
  /** Answers of this time and before it are forgotten, unless a device is held. */
  readonly since: number;
  readonly sent: number;
  readonly gone: readonly GoneDevice[];
}

/** How many devices that a publish found gone are held, and how many are removed by now. */
export interface DeletionCounts {
  readonly platform: Platform;
  readonly held: number;
  readonly removed: number;
}

/** How many devices of a gateway are held. */
export interface HeldCount extends InstancePlatform {
  readonly held: number;
}

/**
 * The devices that are said to be gone and are not removed yet, and what gateways answered lately: what it takes to tell
 * whether their word is to be believed, kept where every process and the next one finds it.
 *
 * - `note` counts the answers of a page and holds its gone devices, in one transaction: whoever sees the devices sees
 *   the answers. A device that is held already stays as it is, with the publish that found it first.
 * - `answers` sums up what is not forgotten. `forgetAnswers` forgets all of a gateway.
 * - `held` answers at most `limit` devices; `heldAmong` those of the given ones.
 * - `settle` ends the holding of devices that a publish found, of which `removed` are deleted by now; devices that are
 *   not held do not count. It may be called twice.
 * - `counts` are those of one publish, `totals` of all gateways that have devices held, in no certain order; none: no
 *   entry. `forget` removes the counts of publishes, save where devices are held: what is held outlives its publish.
 */
export abstract class GoneDeviceRepository {
  abstract note(of: InstancePlatform, page: AnsweredPage): Promise<void>;
  abstract answers(of: InstancePlatform): Promise<GatewayAnswers>;
  abstract forgetAnswers(of: InstancePlatform): Promise<void>;
  abstract held(of: InstancePlatform, limit: number): Promise<readonly HeldDevice[]>;
  abstract heldAmong(of: InstancePlatform, deviceIds: readonly string[]): Promise<readonly HeldDevice[]>;
  abstract settle(
    of: InstancePlatform,
    publishId: string,
    deviceIds: readonly string[],
    removed: number,
  ): Promise<void>;
  abstract counts(publishId: string): Promise<readonly DeletionCounts[]>;
  abstract totals(): Promise<readonly HeldCount[]>;
  abstract forget(publishIds: readonly string[]): Promise<void>;
}
