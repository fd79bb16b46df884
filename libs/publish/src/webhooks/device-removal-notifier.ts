import { type BeforeApplicationShutdown, Inject, Injectable, Logger } from '@nestjs/common';
import {
  Listeners,
  type WebhookDelivery,
  webhookDelivery,
  WebhookBuffer,
  type WebhookRequest,
  WebhookSender,
} from '#webhooks';
import { DeviceRemovals, type RemovalReason, type RemovedDevice } from 'rookery/internal/push-device';
import { deviceRemoved, type RemovalPayload } from '../lifecycle/on-device-removed.js';
import { type Clock, publishClock } from '../publish.options.js';
import { stableUuid } from './stable-uuid.js';
import { tryTimes } from './try-times.js';

/** Queues device removals for listeners. A removal queued twice has the same id, so it is delivered once. */
@Injectable()
export class DeviceRemovalNotifier implements BeforeApplicationShutdown {
  private readonly buffer: WebhookBuffer;

  constructor(
    @Inject(WebhookSender) private readonly sender: Pick<WebhookSender, 'send' | 'lost'>,
    @Inject(Listeners) private readonly listeners: Pick<Listeners, 'urls'>,
    @Inject(publishClock) private readonly now: Clock,
    removals: DeviceRemovals,
  ) {
    this.buffer = new WebhookBuffer(sender, new Logger('Devices'));
    removals.listen((devices, reason) => this.enqueue(devices, reason));
  }

  beforeApplicationShutdown(): void {
    this.buffer.close();
  }

  private async enqueue(devices: readonly RemovedDevice[], reason: RemovalReason): Promise<void> {
    const now = this.now();
    const requests = devices.flatMap((device) =>
      this.listeners.urls(deviceRemoved, device.instanceId).map((url) => requestOf(device, reason, url, now)),
    );
    if (requests.length > 0) await this.keep(requests.map((request) => webhookDelivery(request, now)));
  }

  /** The devices are already removed, and will not be removed again: retry here whatever the outbox refuses. */
  private async keep(deliveries: readonly WebhookDelivery[]): Promise<void> {
    try {
      await this.sender.send(deliveries);
    } catch {
      this.buffer.add(deliveries);
    }
  }
}

function requestOf({ instanceId, id, userId }: RemovedDevice, reason: RemovalReason, url: string, now: number) {
  const payload: RemovalPayload = { instance_id: instanceId, device_id: id, user_id: userId, reason, time_ms: now };
  return {
    id: stableUuid(`${id} removed ${url}`),
    owner: instanceId,
    sequence: id,
    url,
    headers: {},
    body: JSON.stringify(payload),
    ...tryTimes(now),
  } satisfies WebhookRequest;
}
