import type { Instance } from 'rookery/push-device';

/** Apple refuses to create or delete a channel; `reason` is Apple's. */
export class ChannelRefused extends Error {
  constructor(readonly reason: string) {
    super(`Apple refuses the channel: ${reason}`);
  }
}

/**
 * Apple's management of broadcast channels, for the app with this bundle identifier. `create` resolves to the id of a
 * new channel; `storesLatest` keeps its latest update for devices that are offline. Deleting an unknown channel is
 * harmless. Both throw SendLater, PlatformFault and {@link ChannelRefused}.
 */
export interface BroadcastChannels {
  create(instance: Instance, bundleIdentifier: string, storesLatest: boolean): Promise<string>;
  delete(instance: Instance, bundleIdentifier: string, channelId: string): Promise<void>;
}
