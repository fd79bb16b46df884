import type { Platform } from 'rookery/push-device';

/** The gateway of one platform of one instance. */
export interface InstancePlatform {
  readonly instanceId: string;
  readonly platform: Platform;
}

/** A device that its gateway reports gone, unless it registered again after `before`, in epoch milliseconds. */
export interface GoneDevice {
  readonly id: string;
  readonly before: number;
}

/** A gone device that is not removed yet, with the publish that found it. */
export interface HeldDevice extends GoneDevice {
  readonly publishId: string;
}

/** A gateway's answers: how many devices accepted a notification, and how many it reported gone. */
export interface GatewayAnswers {
  readonly sent: number;
  readonly gone: number;
}

/** A gateway's answers to one page of a publish. */
export interface AnsweredPage {
  readonly publishId: string;
  /** In epoch milliseconds; pages with the same time are counted together. */
  readonly at: number;
  /** Answers of this time and earlier are forgotten, unless a device is held. */
  readonly since: number;
  readonly sent: number;
  readonly gone: readonly GoneDevice[];
}

/** Of the devices that a publish found gone: how many are held, and how many already removed. */
export interface DeletionCounts {
  readonly platform: Platform;
  readonly held: number;
  readonly removed: number;
}

/** The number of held devices of a gateway. */
export interface HeldCount extends InstancePlatform {
  readonly held: number;
}

/**
 * The devices reported gone but not removed yet, and the gateways' recent answers, from which the guard judges whether
 * the reports are plausible. Shared by all processes, and kept across restarts.
 *
 * - `note` counts the answers of a page and holds its gone devices, in one transaction: a reader that sees the devices
 *   also sees the answers. An already held device stays unchanged, with the publish that found it first.
 * - `answers` sums up the answers that are not forgotten. `forgetAnswers` forgets all answers of a gateway.
 * - `held` returns at most `limit` devices; `heldAmong` those among the given ones.
 * - `settle` ends the holding of devices that a publish found, of which `removed` are deleted by now; devices that are
 *   not held do not count. It may be called twice.
 * - `counts` returns those of one publish, `totals` those of all gateways with held devices, in no particular order;
 *   other gateways are omitted. `forget` removes the counts of publishes, except where devices are held: these counts
 *   outlive their publish.
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
