import type { Platform } from 'rookery/push-device';
import { objectOr } from '../delivery/json.js';
import type { Notification, PlatformPayload, PreparedNotification } from '../delivery/push.gateway.js';
import { liveActivityWay } from '../live-activities/live-activity-way.js';
import { channelsOf, RenewingChannels } from './broadcast.js';
import type { ClaimedPublish } from './claimed-publish.js';
import type { FanOutPorts } from './fan-out.ports.js';
import { devicesOf, type Recipients } from './recipients.js';
import { StartedActivities, startTokensOf } from './start.js';

/** The recipients of a partition, and how its notification is prepared for them. */
export interface Way {
  readonly recipients: Recipients;
  prepare(notification: Notification): Promise<PreparedNotification | { readonly rejected: string }>;
}

type Claimed = Pick<ClaimedPublish, 'publish' | 'instance'>;

/** The way of a publish on a platform: to devices, unless it is for Live Activities. */
export function wayOf(ports: FanOutPorts, claimed: Claimed, platform: Platform): Way {
  const way = platform === 'apns' ? liveActivityWay(claimed.publish) : undefined;
  if (way === 'broadcast') return broadcasting(ports, claimed);
  if (way === 'start') return starting(ports, claimed);
  return {
    recipients: devicesOf(ports.devices, claimed.publish, platform),
    prepare: (notification) => ports.gateways.of(platform).prepare(notification),
  };
}

function broadcasting({ gateways, channels }: FanOutPorts, claimed: Claimed): Way {
  return {
    recipients: channelsOf(channels, claimed),
    async prepare(notification) {
      const prepared = await gateways.of('apns').prepare(notification);
      return 'rejected' in prepared ? prepared : new RenewingChannels(prepared, channels, claimed);
    },
  };
}

function starting({ gateways, channels, devices, activities }: FanOutPorts, claimed: Claimed): Way {
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
