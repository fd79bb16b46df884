import { Injectable, Logger } from '@nestjs/common';
import type { Found } from '#common';
import { type Device, DeviceRepository, DevicesService, type Instance, platformOf } from 'rookery/push-device';
import type { Opening } from '../delivery/web/open-link.js';
import { eventOf, type Report } from './report.js';
import { PublishOutbox } from '../outbox/publish.outbox.js';
import { isPublishId } from '../publish.js';
import { PublishWebhooks } from '../webhooks/publish.webhooks.js';
import type { DeviceReport } from '../outbox/device-report.js';

const webhookOf = { delivery: 'v1.UserNotificationAcknowledgement', open: 'v1.UserNotificationOpen' } as const;

/**
 * Accepts the devices' reports. They are unauthenticated, so only those on known publishes from known devices count.
 */
@Injectable()
export class ReportsService {
  private readonly logger = new Logger(ReportsService.name);

  constructor(
    private readonly outbox: PublishOutbox,
    private readonly devices: DeviceRepository,
    private readonly deviceApi: DevicesService,
    private readonly webhooks: PublishWebhooks,
  ) {}

  /** Counts the report when it first arrives; an unknown or deleted publish or device is not an error. */
  async take(instance: Instance, report: Report): Promise<void> {
    const { publishId, deviceId, userId } = report;
    if (!isPublishId(publishId) || !(await this.outbox.knows(instance.id, publishId))) return;
    const device = await this.device(instance.id, deviceId);
    if (device) await this.count(instance.id, { publishId, deviceId, event: eventOf(report) }, device, userId);
  }

  /** Counts the opening of a notification whose link was followed. Whatever happens here, the link leads on. */
  async opened({ id }: Instance, { publishId, deviceId }: Opening): Promise<void> {
    try {
      const device = (await this.outbox.knows(id, publishId)) ? await this.device(id, deviceId) : undefined;
      if (device) await this.count(id, { publishId, deviceId, event: 'open' }, device, device.userId);
    } catch (error) {
      this.logger.error(`The opening of ${publishId} was not counted`, error);
    }
  }

  private async count(
    instanceId: string,
    reported: Omit<DeviceReport, 'platform'>,
    device: Device,
    userId: unknown,
  ): Promise<void> {
    const report = { ...reported, platform: device.platform };
    await this.deviceApi.see(device);
    if (await this.outbox.isReported(report)) return;
    // Queue the webhook before counting the report: a crash in between sends it twice, not never.
    if (device.userId !== undefined && device.userId === userId)
      await this.enqueueWebhook(instanceId, report, device.userId);
    await this.outbox.report(report);
    // If the publish was deleted in between, its reports are removed already.
    if (!(await this.outbox.knows(instanceId, report.publishId))) await this.outbox.forget([report.publishId]);
  }

  private async device(instanceId: string, deviceId: string): Promise<Found<Device>> {
    const platform = platformOf(deviceId);
    return platform && this.devices.find(instanceId, platform, deviceId);
  }

  private enqueueWebhook(
    instanceId: string,
    { publishId, deviceId, event }: DeviceReport,
    userId: string,
  ): Promise<void> {
    return this.webhooks.reported(webhookOf[event], { instanceId, publishId, userId }, `${publishId} ${deviceId}`);
  }
}
