import { Injectable } from '@nestjs/common';
import { platforms } from 'rookery/push-device';
import { type DeviceReport, type ReportCount, type ReportEvent, ReportRepository } from './report.repository.js';

const events: readonly ReportEvent[] = ['delivery', 'open'];

/** In memory: for one process; state is lost on restart. */
@Injectable()
export class MemoryReportRepository extends ReportRepository {
  /** The devices by publish, and by platform and event. */
  private readonly publishes = new Map<string, Map<string, Set<string>>>();

  async has(report: DeviceReport): Promise<boolean> {
    return this.publishes.get(report.publishId)?.get(keyOf(report))?.has(report.deviceId) ?? false;
  }

  async add(report: DeviceReport): Promise<void> {
    const reports = this.publishes.get(report.publishId) ?? new Map<string, Set<string>>();
    this.publishes.set(report.publishId, reports);
    const devices = reports.get(keyOf(report)) ?? new Set<string>();
    reports.set(keyOf(report), devices.add(report.deviceId));
  }

  async counts(publishId: string): Promise<readonly ReportCount[]> {
    const reports = this.publishes.get(publishId);
    const all = platforms.flatMap((platform) =>
      events.map((event) => ({ platform, event, count: reports?.get(keyOf({ platform, event }))?.size ?? 0 })),
    );
    return all.filter(({ count }) => count > 0);
  }

  async forget(publishIds: readonly string[]): Promise<void> {
    for (const id of publishIds) this.publishes.delete(id);
  }
}

const keyOf = ({ platform, event }: Pick<DeviceReport, 'platform' | 'event'>): string => `${platform} ${event}`;
