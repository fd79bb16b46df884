import { expect, it } from 'vitest';
import { settingsOf } from '#common';
import {
  DeviceRemovals,
  DevicesService,
  type Instance,
  MemoryDeviceRepository,
  MemoryLiveActivityRepository,
  PushDeviceSettings,
} from 'rookery/push-device';
import { MemoryGoneDeviceRepository } from '../deletions/memory-gone-device.repository.js';
import { MemoryPublishOutbox } from '../outbox/memory-publish.outbox.js';
import { Retention } from '../retention.js';
import { publishOf } from '../publish.js';
import { PublishSettings } from '../publish.options.js';
import { PublishWebhooks } from '../webhooks/publish.webhooks.js';
import { MemoryReportRepository } from './memory-report.repository.js';
import type { DeviceReport } from './report.repository.js';
import { ReportsService } from './reports.service.js';

const instance: Instance = { id: '00000000-0000-4000-8000-000000000001', secretKey: 'secret' };

/** Pauses a report at a step until the test lets it continue. */
class HeldUp extends MemoryReportRepository {
  before = { add: () => Promise.resolve(), afterForget: () => Promise.resolve() };

  override async add(report: DeviceReport): Promise<void> {
    await this.before.add();
    await super.add(report);
  }

  override async forget(publishIds: readonly string[]): Promise<void> {
    await super.forget(publishIds);
    await this.before.afterForget();
  }
}

async function oldPublish() {
  const [outbox, reports, devices] = [new MemoryPublishOutbox(), new HeldUp(), new MemoryDeviceRepository()];
  const publish = publishOf(instance.id, { interests: ['a'], fcm: {} }, 0);
  await outbox.add(publish);
  const [job] = await outbox.jobs.claim({ id: 'me', now: 0, limit: 1, perKey: 1, busy: new Set(), leaseMs: 1 });
  await outbox.finish(job!, 0);
  const { id: deviceId } = devices.register(instance.id, { platform: 'fcm', token: 't', metadata: {} }, 0);
  const settings = settingsOf(PublishSettings, { retentionMs: 10 });
  const retention = new Retention(settings, outbox, reports, new MemoryGoneDeviceRepository(), () => 100);
  const nobody = new PublishWebhooks(
    { send: async () => ({ dropped: 0 }) },
    { find: () => undefined },
    { urls: () => [] },
    () => 100,
  );
  const deviceApi = new DevicesService(
    devices,
    settingsOf(PushDeviceSettings, {}),
    new DeviceRemovals(),
    new MemoryLiveActivityRepository(),
  );
  const service = new ReportsService(outbox, devices, deviceApi, reports, nobody);
  const report = () =>
    service.take(instance, { publishId: publish.id, deviceId, event: 'open', timestampSecs: 1, userId: null });
  return { publish, reports, retention, report };
}

it('a report that arrives while its publish is forgotten leaves nothing behind', async () => {
  const { publish, reports, retention, report } = await oldPublish();
  reports.before.afterForget = async () => {
    reports.before.afterForget = () => Promise.resolve();
    await report();
    expect(await reports.counts(publish.id)).toHaveLength(1);
  };
  await retention.sweep();
  expect(await reports.counts(publish.id)).toEqual([]);
});

it('a report that arrived before and is stored afterwards leaves nothing behind', async () => {
  const { publish, reports, retention, report } = await oldPublish();
  reports.before.add = () => retention.sweep();
  await report();
  expect(await reports.counts(publish.id)).toEqual([]);
});
