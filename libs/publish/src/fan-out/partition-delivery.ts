import type { Platform } from 'rookery/push-device';
import { objectOr } from '../delivery/json.js';
import type { Notification, PlatformPayload, PreparedNotification } from '../delivery/push.gateway.js';
import { liveActivityMode } from '../live-activities/live-activity-mode.js';
import { channelsOf, RenewingChannels } from './broadcast.js';
import type { ClaimedPublish } from './claimed-publish.js';
import type { FanOutPorts } from './fan-out.ports.js';
import { devicesOf, type Recipients } from './recipients.js';
import { StartedActivities, startTokensOf } from './start.js';

/** The recipients of a partition, and how its notification is prepared for them. */
export interface PartitionDelivery {
  readonly recipients: Recipients;
  prepare(notification: Notification): Promise<PreparedNotification | { readonly rejected: string }>;
}

type Claimed = Pick<ClaimedPublish, 'publish' | 'instance'>;

/** A publish on a platform goes to devices, unless it is for Live Activities. */
export function deliveryOf(ports: FanOutPorts, claimed: Claimed, platform: Platform): PartitionDelivery {
  const mode = platform === 'apns' ? liveActivityMode(claimed.publish) : undefined;
  if (mode === 'broadcast') return broadcasting(ports, claimed);
  if (mode === 'start') return starting(ports, claimed);
  return {
    recipients: devicesOf(ports.devices, claimed.publish, platform),
    prepare: (notification) => ports.gateways.of(platform).prepare(notification),
  };
}

function broadcasting({ gateways, channels }: FanOutPorts, claimed: Claimed): PartitionDelivery {
  return {
    recipients: channelsOf(channels, claimed),
    async prepare(notification) {
      const prepared = await gateways.of('apns').prepare(notification);
      return 'rejected' in prepared ? prepared : new RenewingChannels(prepared, channels, claimed);
    },
  };
}

function starting({ gateways, channels, devices, activities }: FanOutPorts, claimed: Claimed): PartitionDelivery {
  return {
    recipients: startTokensOf(devices, activities, claimed.publish),
    async prepare(notification) {
      const { payload } = notification;
      const aps = objectOr(payload['aps']);
      const prepareWith = (more: PlatformPayload) =>
        gateways.of('apns').prepare({ ...notification, payload: { ...payload, aps: { ...aps, ...more } } });
      const prepared = await prepareWith({});
      if ('rejected' in prepared) return prepared;
      return new StartedActivities(prepared, prepareWith, activities, channels, claimed);
    },
  };
}
