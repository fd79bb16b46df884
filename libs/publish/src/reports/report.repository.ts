import type { Platform } from 'rookery/push-device';

/** `delivery`: the notification has arrived; `open`: the user has opened it. */
export type ReportEvent = 'delivery' | 'open';

/** One device's report on one publish. */
export interface DeviceReport {
  readonly publishId: string;
  readonly deviceId: string;
  readonly platform: Platform;
  readonly event: ReportEvent;
}

export interface ReportCount {
  readonly platform: Platform;
  readonly event: ReportEvent;
  readonly count: number;
}

/**
 * The devices' reports. A report counts once, however often it is sent.
 *
 * - `add` stores a report; an existing one stays unchanged. It may be called twice, also concurrently.
 * - `counts` returns the number of devices for each platform and event; those with none are omitted.
 * - `forget` removes the reports of the given publishes, and is harmless for unknown ones.
 */
export abstract class ReportRepository {
  abstract has(report: DeviceReport): Promise<boolean>;
  abstract add(report: DeviceReport): Promise<void>;
  abstract counts(publishId: string): Promise<readonly ReportCount[]>;
  abstract forget(publishIds: readonly string[]): Promise<void>;
}
