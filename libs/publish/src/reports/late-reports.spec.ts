import { expect, it } from 'vitest';
import { settingsOf } from '#common';
import {
  ConfiguredInstanceRepository,
  DeviceRemovals,
  DevicesService,
  type Instance,
  MemoryDeviceRepository,
  PushDeviceSettings,
} from 'rookery/internal/push-device';
import { MemoryPublishOutbox } from '../outbox/memory-publish.outbox.js';
import { Retention } from '../retention.js';
import { publishOf } from '../publish.js';
import { PublishSettings } from '../publish.options.js';
import { PublishWebhooks } from '../webhooks/publish.webhooks.js';
import type { DeviceReport } from '../outbox/device-report.js';
import { ReportsService } from './reports.service.js';

const instance: Instance = { id: '00000000-0000-4000-8000-000000000001', secretKey: 'secret' };

/** Pauses a report until the test lets it continue. */
class HeldUp extends MemoryPublishOutbox {
  beforeReport = () => Promise.resolve();

  override async report(report: DeviceReport): Promise<void> {
    await this.beforeReport();
    await super.report(report);
  }
}

async function oldPublish() {
  const [outbox, devices] = [new HeldUp(), new MemoryDeviceRepository()];
  const publish = publishOf(instance.id, { interests: ['a'], fcm: {} }, 0);
  await outbox.add(publish);
  const [job] = await outbox.jobs.claim({ id: 'me', now: 0, limit: 1, perKey: 1, busy: new Set(), leaseMs: 1 });
  await outbox.finish(job!, 0);
  const { id: deviceId } = devices.register(instance.id, { platform: 'fcm', token: 't', metadata: {} }, 0);
  const settings = settingsOf(PublishSettings, { retentionMs: 10 });
  const retention = new Retention(settings, outbox, () => 100);
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
    new ConfiguredInstanceRepository({ instances: [instance] }),
  );
  const service = new ReportsService(outbox, devices, deviceApi, nobody);
  const report = () =>
    service.take(instance, { publishId: publish.id, deviceId, event: 'open', timestampSecs: 1, userId: null });
  return { publish, outbox, retention, report };
}

it('a report that arrived before and is stored afterwards leaves nothing behind', async () => {
  const { publish, outbox, retention, report } = await oldPublish();
  outbox.beforeReport = () => retention.sweep();
  await report();
  expect(await outbox.reports(publish.id)).toEqual([]);
});
