import type { DeviceAddress } from 'rookery/push-device';
import type { Outcome, PreparedNotification } from '../../delivery/push.gateway.js';
import type { LiveActivityChannels } from './live-activity-channels.js';
import type { BroadcastChannel } from './live-activity.repository.js';
import { stableUuid } from '../../webhooks/stable-uuid.js';
import type { ClaimedPublish } from '../../fan-out/claimed-publish.js';
import type { Recipients } from '../../fan-out/recipients.js';
import { resultOrRefusal } from './channel-refusal.js';

/** A channel in the place of a device: its token is the channel's id. */
interface ChannelAddress extends DeviceAddress {
  readonly channel: BroadcastChannel;
  readonly storesLatest: boolean;
}

type Claimed = Pick<ClaimedPublish, 'publish' | 'instance'>;

/** The channels of the publish's interests, in the place of devices. */
export function channelsOf(channels: LiveActivityChannels, { publish, instance }: Claimed): Recipients {
  const all = async () => {
    const found = await channels.of(instance, publish.target.interests ?? []);
    return found.map(addressOf).toSorted((one, other) => (one.id < other.id ? -1 : 1));
  };
  return {
    page: async (after, limit) => (await all()).filter(({ id }) => id > after).slice(0, limit),
    find: async (wanted) => (await all()).find(({ id }) => id === wanted),
  };
}

const addressOf = (channel: BroadcastChannel): ChannelAddress => {
  const { instanceId, environment, interest, bundleIdentifier, channelId, storesLatest } = channel;
  const id = `apns-${stableUuid(JSON.stringify([instanceId, environment, interest, bundleIdentifier]))}`;
  return { id, platform: 'apns', token: channelId, bundleIdentifier, registeredAt: 0, channel, storesLatest };
};

/** Creates a channel that Apple no longer knows anew, once: apps that ask for it from then on can listen to it. */
export class RenewingChannels implements PreparedNotification {
  readonly ttlMs: number;

  constructor(
    private readonly prepared: PreparedNotification,
    private readonly channels: LiveActivityChannels,
    private readonly claimed: Claimed,
  ) {
    this.ttlMs = prepared.ttlMs;
  }

  async send(address: ChannelAddress): Promise<Outcome> {
    const outcome = await this.prepared.send(address);
    if (outcome.outcome !== 'unregistered') return outcome;
    const anew = await resultOrRefusal(() => this.channels.replace(this.claimed.instance, address.channel));
    if ('outcome' in anew) return anew;
    const second = await this.prepared.send(addressOf(anew));
    return second.outcome === 'unregistered' ? { outcome: 'rejected', reason: 'ChannelNotRegistered' } : second;
  }
}
