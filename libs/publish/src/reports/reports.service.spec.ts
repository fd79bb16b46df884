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
import { publishOf } from '../publish.js';
import { PublishWebhooks } from '../webhooks/publish.webhooks.js';
import { ReportsService } from './reports.service.js';

const instance: Instance = {
  id: '00000000-0000-4000-8000-000000000001',
  secretKey: 'secret',
  webhooks: [{ url: 'https://hooks.example/', secret: 's', events: ['v1.UserNotificationOpen'] }],
};

it('counts a report only once its webhook is queued: the device repeats it until then', async () => {
  const [outbox, devices] = [new MemoryPublishOutbox(), new MemoryDeviceRepository()];
  const publish = publishOf(instance.id, { users: ['alice'], fcm: {} }, 0);
  await outbox.add(publish);
  const { id: deviceId } = devices.register(instance.id, { platform: 'fcm', token: 't', metadata: {} }, 0);
  devices.setUser(instance.id, 'fcm', deviceId, 'alice');
  let isAway = true;
  let queued = 0;
  const send = async () => {
    if (isAway) throw new Error('the queue is away');
    queued += 1;
    return { dropped: 0 };
  };
  const webhooks = new PublishWebhooks({ send }, { find: () => instance }, { urls: () => [] }, () => 100);
  const settings = settingsOf(PushDeviceSettings, {});
  const instances = new ConfiguredInstanceRepository({ instances: [instance] });
  const deviceApi = new DevicesService(devices, settings, new DeviceRemovals(), instances);
  const reports = new ReportsService(outbox, devices, deviceApi, webhooks);
  const report = () =>
    reports.take(instance, { publishId: publish.id, deviceId, event: 'open', timestampSecs: 1, userId: 'alice' });

  await expect(report()).rejects.toThrow('the queue is away');
  expect(await outbox.reports(publish.id)).toEqual([]);
  isAway = false;
  await report();
  await report();
  expect(queued).toBe(1);
  expect(await outbox.reports(publish.id)).toEqual([{ platform: 'fcm', event: 'open', count: 1 }]);
});
