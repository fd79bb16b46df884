import type { DeviceReport, ReportEvent } from './device-report.js';

/** The outcome for one device of a publish. */
export interface DeviceOutcome {
  readonly deviceId: string;
  /** `sent`: the gateway accepted it; `failed`: the device will not get it; `retrying`: it will be tried again. */
  readonly outcome: 'sent' | 'failed' | 'retrying';
  /** The gateway's reason or ours, unless sent. */
  readonly reason?: string;
}

export const outcomes = ['sent', 'failed', 'retrying'] as const satisfies readonly DeviceOutcome['outcome'][];

/**
 * The outcomes that a save adds: for all devices of the page that ends at the partition's cursor, or for some later ones.
 */
export interface NewOutcomes {
  readonly of: 'page' | 'retries';
  /** When they were saved, in epoch milliseconds. */
  readonly at: number;
  readonly devices: readonly DeviceOutcome[];
}

/** Which outcomes of a publish to read. */
export interface OutcomeQuery {
  /** Only devices with a greater id. */
  readonly after: string;
  readonly limit: number;
  /** Only this outcome; absent: all. */
  readonly outcome?: DeviceOutcome['outcome'];
}

export interface OutcomePage {
  readonly devices: readonly DeviceOutcome[];
  /** Where the next page begins; absent after the last page. */
  readonly next?: string;
}

/** The outcome for one device, with what it has reported. */
export interface ReportedOutcome extends DeviceOutcome {
  /** Absent if it has reported nothing. */
  readonly reports?: readonly ReportEvent[];
}

export interface ReportedOutcomes extends OutcomePage {
  readonly devices: readonly ReportedOutcome[];
}

/** @param all reports of devices on the publish */
export function withReports(device: DeviceOutcome, all: readonly DeviceReport[]): ReportedOutcome {
  const reports = all.filter(({ deviceId }) => deviceId === device.deviceId).map(({ event }) => event);
  return { ...device, ...(reports.length > 0 && { reports: reports.toSorted() }) };
}
