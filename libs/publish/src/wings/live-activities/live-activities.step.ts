import { Injectable } from '@nestjs/common';
import { DeviceRepository, isCombined, type Platform } from 'rookery/push-device';
import { withTimestamp } from '../../delivery/apns/live-activities/with-timestamp.js';
import { objectOr } from '../../delivery/json.js';
import type { Notification, PlatformPayload } from '../../delivery/push.gateway.js';
import { PushGateways } from '../../delivery/push-gateways.js';
import type { ClaimedPublish } from '../../fan-out/claimed-publish.js';
import type { DeliveryStep, PartitionDelivery } from '../../fan-out/delivery-step.js';
import type { Publish } from '../../publish.js';
import { channelsOf, RenewingChannels } from './broadcast.js';
import { combinedBroadcast, updateOfUsers } from './live-activities.errors.js';
import { LiveActivityChannels } from './live-activity-channels.js';
import { LiveActivityRepository } from './live-activity.repository.js';
import { isUpdateOfUsers, liveActivityMode } from './live-activity-mode.js';
import { StartedActivities, startTokensOf } from './start.js';

type Claimed = Pick<ClaimedPublish, 'publish' | 'instance'>;

/** Updates go to the channels of interests, and starts to the start tokens of devices. */
@Injectable()
export class LiveActivitiesStep implements DeliveryStep {
  constructor(
    private readonly devices: DeviceRepository,
    private readonly activities: LiveActivityRepository,
    private readonly gateways: PushGateways,
    private readonly channels: LiveActivityChannels,
  ) {}

  check(publish: Publish): void {
    if (isCombined(publish.target) && liveActivityMode(publish) === 'broadcast') throw combinedBroadcast();
    if (isUpdateOfUsers(publish)) throw updateOfUsers();
  }

  deliveryOf(claimed: Claimed, given: Notification, platform: Platform): PartitionDelivery | undefined {
    const mode = platform === 'apns' ? liveActivityMode(claimed.publish) : undefined;
    return mode && this[mode](claimed, given);
  }

  private broadcast(claimed: Claimed, given: Notification): PartitionDelivery {
    return {
      recipients: channelsOf(this.channels, claimed),
      notification: { ...given, isBroadcast: true },
      sender: (prepared) => new RenewingChannels(prepared, this.channels, claimed),
    };
  }

  private start(claimed: Claimed, given: Notification): PartitionDelivery {
    const payload = withTimestamp({ ...given.payload, push_type: 'liveactivity' }, given.publishedAt);
    const notification = { ...given, payload };
    const prepareWith = (more: PlatformPayload) => {
      const aps = { ...objectOr(payload['aps']), ...more };
      return this.gateways.of('apns').prepare({ ...notification, payload: { ...payload, aps } });
    };
    return {
      recipients: startTokensOf(this.devices, this.activities, claimed.publish),
      notification,
      sender: (prepared) => new StartedActivities(prepared, prepareWith, this.activities, this.channels, claimed),
    };
  }
}
