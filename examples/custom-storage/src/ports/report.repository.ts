import { Injectable } from '@nestjs/common';
import { type DeviceReport, type ReportCount, ReportRepository } from 'rookery/publish';
import { DocumentStore, folder, path } from '../store/document.store.js';

const reportsOf = (publishId: string) => folder('reports', publishId);
const byDevice = ({ publishId, platform, event, deviceId }: DeviceReport) =>
  path('reports', publishId, platform, event, deviceId);

/** A document for each report: its id has all its content, so a repeated report is the same document. */
@Injectable()
export class StoredReportRepository extends ReportRepository {
  constructor(private readonly store: DocumentStore) {
    super();
  }

  async has(report: DeviceReport): Promise<boolean> {
    return (await this.store.read(byDevice(report))) !== undefined;
  }

  async add({ publishId, platform, event, deviceId }: DeviceReport): Promise<void> {
    const id = byDevice({ publishId, platform, event, deviceId });
    await this.store.commit(new Map(), [{ id, value: { platform, event } }]);
  }

  async counts(publishId: string): Promise<readonly ReportCount[]> {
    const counts = new Map<string, ReportCount>();
    for (const { value } of await this.store.list<Omit<ReportCount, 'count'>>(reportsOf(publishId))) {
      const name = `${value.platform} ${value.event}`;
      counts.set(name, { ...value, count: (counts.get(name)?.count ?? 0) + 1 });
    }
    return [...counts.values()];
  }

  async forget(publishIds: readonly string[]): Promise<void> {
    for (const publishId of publishIds) {
      const reports = await this.store.list(reportsOf(publishId));
      await this.store.commit(
        new Map(),
        reports.map(({ id }) => ({ id })),
      );
    }
  }
}
