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
