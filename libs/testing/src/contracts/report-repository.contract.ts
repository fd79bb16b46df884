import assert from 'node:assert/strict';
import type { DeviceReport, ReportRepository } from 'rookery/publish';
import { contract } from './contract.js';
import { same } from './assertions.js';

/** The contract of every ReportRepository. */
export const describeReportRepository = contract<ReportRepository>('ReportRepository', [
  {
    promise: 'counts devices by platform and event',
    async test(reports) {
      await reports.add(report('fcm-1'));
      await reports.add(report('fcm-2'));
      await reports.add(report('fcm-1', { event: 'open' }));
      await reports.add(report('web-1', { platform: 'web' }));
      same(await sorted(reports), [
        { platform: 'fcm', event: 'delivery', count: 2 },
        { platform: 'fcm', event: 'open', count: 1 },
        { platform: 'web', event: 'delivery', count: 1 },
      ]);
    },
  },
  {
    promise: 'counts a report once, even if it is repeated or concurrent',
    async test(reports) {
      await reports.add(report('fcm-1'));
      await Promise.all(Array.from({ length: 20 }, () => reports.add(report('fcm-1'))));
      same(await reports.counts('pubid-1'), [{ platform: 'fcm', event: 'delivery', count: 1 }]);
    },
  },
  {
    promise: 'answers whether it has any reports',
    async test(reports) {
      await reports.add(report('fcm-1'));
      assert.equal(await reports.has(report('fcm-1')), true);
      assert.equal(await reports.has(report('fcm-2')), false);
      assert.equal(await reports.has(report('fcm-1', { event: 'open' })), false);
      assert.equal(await reports.has(report('fcm-1', { publishId: 'pubid-2' })), false);
    },
  },
  {
    promise: 'isolates publishes, and forgets the given ones',
    async test(reports) {
      await reports.add(report('fcm-1'));
      await reports.add(report('fcm-1', { publishId: 'pubid-2' }));
      await reports.forget(['pubid-1', 'pubid-unknown']);
      same(await reports.counts('pubid-1'), []);
      assert.equal((await reports.counts('pubid-2')).length, 1);
    },
  },
  {
    promise: 'forgets a publish with many reports, and counts later ones from zero',
    async test(reports) {
      await Promise.all(Array.from({ length: 1200 }, (_, n) => reports.add(report(`fcm-${n}`))));
      same(await reports.counts('pubid-1'), [{ platform: 'fcm', event: 'delivery', count: 1200 }]);
      await reports.forget(['pubid-1']);
      same(await reports.counts('pubid-1'), []);
      for (const n of [0, 600, 1199]) assert.equal(await reports.has(report(`fcm-${n}`)), false);
      await reports.add(report('fcm-600'));
      same(await reports.counts('pubid-1'), [{ platform: 'fcm', event: 'delivery', count: 1 }]);
    },
  },
]);

const report = (deviceId: string, more: Partial<DeviceReport> = {}): DeviceReport => ({
  publishId: 'pubid-1',
  deviceId,
  platform: 'fcm',
  event: 'delivery',
  ...more,
});

async function sorted(reports: ReportRepository) {
  const key = ({ platform, event }: { platform: string; event: string }) => `${platform} ${event}`;
  return [...(await reports.counts('pubid-1'))].sort((one, other) => (key(one) < key(other) ? -1 : 1));
}
