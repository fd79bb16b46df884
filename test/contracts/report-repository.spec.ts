import { describe, expect, it } from 'vitest';
import { type DeviceReport, MemoryReportRepository, type ReportCount } from 'rookery/publish';
import { TypeOrmReportRepository } from 'rookery/typeorm';
import { describeDatabases } from '../support/databases.js';
import { brokenPromises, itKeeps } from './contract.js';
import { reportRepositoryContract } from './report-repository.contract.js';

describe('MemoryReportRepository', () => {
  itKeeps(reportRepositoryContract, () => ({ port: new MemoryReportRepository() }));
});

describeDatabases('TypeOrmReportRepository', ({ database }) => {
  itKeeps(reportRepositoryContract, async () => {
    await database().execute('DELETE FROM rookery_reports');
    return { port: new TypeOrmReportRepository(database()) };
  });
});

class CountsEachTime extends MemoryReportRepository {
  private times = 0;
  override add(report: DeviceReport): Promise<void> {
    return super.add({ ...report, deviceId: `${report.deviceId} ${(this.times += 1)}` });
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

describe('the contract of ReportRepository rejects an implementation that', () => {
  it.each([
    [CountsEachTime, 'counts a report once, however often it comes and also at once'],
    [MixesPublishes, 'keeps publishes apart, and forgets those that are named'],
  ])('%o: %s', async (Broken, promise) => {
    expect(await brokenPromises(reportRepositoryContract, () => ({ port: new Broken() }))).toContain(promise);
  });
});
