import { platforms } from 'rookery/push-device';
import type { DeviceReport, ReportCount, ReportEvent } from './device-report.js';

const events: readonly ReportEvent[] = ['delivery', 'open'];
const kinds = platforms.flatMap((platform) => events.map((event) => ({ platform, event })));

/** The reports of devices, in memory. */
export class MemoryReports {
  /** The devices by publish, and by platform and event. */
  private readonly publishes = new Map<string, Map<string, Set<string>>>();

  has(report: DeviceReport): boolean {
    return this.publishes.get(report.publishId)?.get(keyOf(report))?.has(report.deviceId) ?? false;
  }

  add(report: DeviceReport): void {
    const reports = this.publishes.get(report.publishId) ?? new Map<string, Set<string>>();
    this.publishes.set(report.publishId, reports);
    const devices = reports.get(keyOf(report)) ?? new Set<string>();
    reports.set(keyOf(report), devices.add(report.deviceId));
  }

  counts(publishId: string): readonly ReportCount[] {
    const reports = this.publishes.get(publishId);
    const all = kinds.map((kind) => ({ ...kind, count: reports?.get(keyOf(kind))?.size ?? 0 }));
    return all.filter(({ count }) => count > 0);
  }

  of(publishId: string, deviceIds: readonly string[]): readonly DeviceReport[] {
    const all = deviceIds.flatMap((deviceId) => kinds.map((kind) => ({ publishId, deviceId, ...kind })));
    return all.filter((report) => this.has(report));
  }

  forget(publishId: string): void {
    this.publishes.delete(publishId);
  }
}

const keyOf = ({ platform, event }: Pick<DeviceReport, 'platform' | 'event'>): string => `${platform} ${event}`;
