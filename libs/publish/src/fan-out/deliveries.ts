import type { DeviceRepository, Platform } from 'rookery/push-device';
import type { PushGateways } from '../delivery/push-gateways.js';
import { dueAtOf, type Publish } from '../publish.js';
import type { ClaimedPublish } from './claimed-publish.js';
import type { DeliveryStep, PartitionDelivery } from './delivery-step.js';
import { devicesOf } from './recipients.js';

type Claimed = Pick<ClaimedPublish, 'publish' | 'instance'>;

/** A publish on a platform goes to devices, unless the step of a feature delivers it. */
export class Deliveries {
  constructor(
    private readonly devices: DeviceRepository,
    private readonly gateways: PushGateways,
    private readonly steps: readonly DeliveryStep[],
  ) {}

  /** @throws ApiError if the publish cannot be delivered */
  check(publish: Publish): void {
    for (const step of this.steps) step.check(publish);
  }

  /** Why the gateway would send the publish to no device, if it would not. */
  refusalOf(claimed: Claimed, platform: Platform): string | undefined {
    return this.gateways.of(platform).refusal?.(this.of(claimed, platform).notification);
  }

  of(claimed: Claimed, platform: Platform): PartitionDelivery {
    const { publish, instance } = claimed;
    const payload = publish.payloads[platform] ?? {};
    const notification = { instance, publishId: publish.id, publishedAt: dueAtOf(publish), payload };
    for (const step of this.steps) {
      const own = step.deliveryOf(claimed, notification, platform);
      if (own) return own;
    }
    return { recipients: devicesOf(this.devices, publish, platform), notification };
  }
}
