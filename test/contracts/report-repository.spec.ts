import { expect, it } from 'vitest';
import { type DeviceReport, MemoryReportRepository, type ReportCount } from 'rookery/publish';
import { TypeOrmReportRepository } from 'rookery/typeorm';
import { describeDatabases } from '../support/databases.js';
import { describeReportRepository } from 'rookery/testing';
import { brokenPromises } from './broken-promises.js';
import { describeNode } from '../support/services.js';

describeNode('MemoryReportRepository', () => {
  describeReportRepository(() => new MemoryReportRepository());
});

describeDatabases('TypeOrmReportRepository', ({ database }) => {
  describeReportRepository(async () => {
    for (const table of ['reports', 'report_counts']) await database().execute(`DELETE FROM rookery_${table}`);
    return new TypeOrmReportRepository(database());
  });
});

class CountsEachTime extends MemoryReportRepository {
  private times = 0;
  override add(report: DeviceReport): Promise<void> {
    return super.add({ ...report, deviceId: `${report.deviceId} ${(this.times += 1)}` });
  }
}
class KeepsItsCounts extends MemoryReportRepository {
  private readonly counted = new Map<string, number>();
  override async add(report: DeviceReport): Promise<void> {
    if (!(await super.has(report))) this.counted.set(report.publishId, (this.counted.get(report.publishId) ?? 0) + 1);
    await super.add(report);
  }
  override async counts(publishId: string): Promise<readonly ReportCount[]> {
    return (await super.counts(publishId)).map((one) => ({ ...one, count: this.counted.get(publishId) ?? 0 }));
  }
}
class MixesPublishes extends MemoryReportRepository {
  override add(report: DeviceReport): Promise<void> {
    return super.add({ ...report, publishId: 'same' });
  }
  override counts(): Promise<readonly ReportCount[]> {
    return super.counts('same');
  }
}

describeNode('the contract of ReportRepository rejects an implementation that', () => {
  it.each([
    [CountsEachTime, 'counts a report once, even if it is repeated or concurrent'],
    [KeepsItsCounts, 'forgets a publish with many reports, and counts later ones from zero'],
    [MixesPublishes, 'isolates publishes, and forgets the given ones'],
  ])('%o: %s', async (Broken, promise) => {
    expect(await brokenPromises(describeReportRepository, () => new Broken())).toContain(promise);
  });
});
