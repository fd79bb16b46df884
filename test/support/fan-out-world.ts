import { Logger } from '@nestjs/common';
import { expect } from 'vitest';
import { settingsOf } from '#common';
import { type WebhookDelivery } from '#webhooks';
import {
  DeviceRemovals,
  type DeviceRepository,
  type Instance,
  MemoryDeviceRepository,
  type Platform,
} from 'rookery/internal/push-device';
import { PushGateways } from '../../libs/publish/src/delivery/push-gateways.js';
import { Deliveries } from '../../libs/publish/src/fan-out/deliveries.js';
import { FanOutPorts } from '../../libs/publish/src/fan-out/fan-out.ports.js';
import { DuePublishes } from '../../libs/publish/src/outbox/due-publishes.js';
import { FanOutWorker } from '../../libs/publish/src/fan-out/fan-out.worker.js';
import { GoneDevices } from '../../libs/publish/src/fan-out/gone-devices.js';
import { FaultLog } from '../../libs/publish/src/fan-out/fault-log.js';
import { LiveActivitiesStep } from '../../libs/publish/src/wings/live-activities/live-activities.step.js';
import { LiveActivityChannels } from '../../libs/publish/src/wings/live-activities/live-activity-channels.js';
import { MemoryLiveActivityRepository } from '../../libs/publish/src/wings/live-activities/memory-live-activity.repository.js';
import { PublishMetrics } from '../../libs/publish/src/metrics.js';
import { MemoryPublishOutbox } from '../../libs/publish/src/outbox/memory-publish.outbox.js';
import { type Payloads, publishOf } from '../../libs/publish/src/publish.js';
import { type PublishOptions, PublishSettings } from '../../libs/publish/src/publish.options.js';
import { statusOf } from '../../libs/publish/src/publish-status.js';
import { PublishWebhooks } from '../../libs/publish/src/webhooks/publish.webhooks.js';
import { ScriptedGateway } from './scripted.gateway.js';

export const instance: Instance = {
  id: '00000000-0000-4000-8000-000000000001',
  secretKey: 'secret',
  webhooks: [{ url: 'https://hooks.example/', secret: 's', events: ['v1.PublishToUsersAttempt'] }],
};
const instances = { find: (id: string) => (id === instance.id ? instance : undefined) };
export const hi: Payloads = { fcm: { notification: { title: 'hi' } } };

/** Everything that a fan-out worker works with, in memory, at a time that the test sets. */
export class FanOutWorld {
  now = 1_700_000_000_000;
  readonly devices: DeviceRepository = new MemoryDeviceRepository();
  readonly activities = new MemoryLiveActivityRepository();
  readonly outbox = new MemoryPublishOutbox();
  readonly metrics = new PublishMetrics();
  readonly gateways = {
    apns: new ScriptedGateway('apns'),
    fcm: new ScriptedGateway('fcm'),
    web: new ScriptedGateway('web'),
  };
  readonly webhooks: WebhookDelivery[] = [];
  readonly workers: FanOutWorker[] = [];

  constructor() {
    Logger.overrideLogger(false);
  }

  startWorker(options: PublishOptions = {}): FanOutWorker {
    // A busy machine makes no send slow.
    const own = { pollMs: 2, firstRetryMs: 1000, slowSendMs: 30_000 };
    const settings = settingsOf(PublishSettings, { ...own, ...options });
    const clock = () => this.now;
    const sender = {
      send: async (deliveries: readonly WebhookDelivery[]) => {
        this.webhooks.push(...deliveries);
        return { dropped: 0 };
      },
    };
    const gateways = new PushGateways(Object.values(this.gateways));
    const channels = new LiveActivityChannels(instances, this.activities, gateways, clock);
    const step = new LiveActivitiesStep(this.devices, this.activities, gateways, channels);
    const ports = new FanOutPorts(
      settings,
      instances,
      this.devices,
      this.outbox,
      gateways,
      new Deliveries(this.devices, gateways, [step]),
      new PublishWebhooks(sender, instances, { urls: () => [] }, clock),
      new GoneDevices(settings, this.devices, new DeviceRemovals(), this.metrics, clock),
      new FaultLog(),
      this.metrics,
      clock,
      clock,
    );
    const worker = new FanOutWorker(ports, new DuePublishes());
    this.workers.push(worker);
    worker.onApplicationBootstrap();
    return worker;
  }

  async register(count: number, platform: Platform = 'fcm', interest = 'news'): Promise<string[]> {
    const ids: string[] = [];
    for (let index = 0; index < count; index += 1) {
      const registration = { platform, token: `${platform} ${interest} ${index}`, metadata: {} };
      const { id } = await this.devices.register(instance.id, registration, this.now);
      await this.devices.addInterest(instance.id, platform, id, interest);
      ids.push(id);
    }
    return ids.sort();
  }

  async publish(payloads: Payloads = hi, interests = ['news'], more: object = {}, publishAt?: number): Promise<string> {
    const made = publishOf(instance.id, { interests, ...payloads, ...more }, this.now, publishAt);
    await this.outbox.add(made);
    return made.id;
  }

  async status(publishId: string) {
    const record = await this.outbox.find(instance.id, publishId);
    if (!record) throw new Error(`no publish ${publishId}`);
    const waiting = await this.outbox.waiting(publishId);
    return statusOf(record, [], waiting, this.now);
  }

  async finished(publishId: string) {
    await expect.poll(() => this.status(publishId)).toMatchObject({ state: 'finished' });
    return (await this.status(publishId)).platforms;
  }

  /** The status, a moment later if no worker has the publish: time that passes for a busy one would end its lease. */
  async laterStatus(publishId: string, stepMs = 1000) {
    if (this.outbox.jobs.waiting(publishId).length === (await this.outbox.jobs.size())) this.now += stepMs;
    return this.status(publishId);
  }

  async close(): Promise<void> {
    await Promise.all(this.workers.map((worker) => worker.beforeApplicationShutdown()));
  }
}
