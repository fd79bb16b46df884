import type { Platform } from 'rookery/push-device';

/** `delivery`: the notification has arrived; `open`: the user has opened it. */
export type ReportEvent = 'delivery' | 'open';

/** One device's word on one publish. */
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
 * What devices have reported. A report counts once, however often it comes.
 *
 * - `add` keeps a report; one that is there already is left as it is. It may be called twice, also at once.
 * - `counts` answers the number of devices for each platform and event; none: no entry.
 * - `forget` removes the reports of those publishes, and is harmless for unknown ones.
 */
export abstract class ReportRepository {
  abstract has(report: DeviceReport): Promise<boolean>;
  abstract add(report: DeviceReport): Promise<void>;
  abstract counts(publishId: string): Promise<readonly ReportCount[]>;
  abstract forget(publishIds: readonly string[]): Promise<void>;
}
