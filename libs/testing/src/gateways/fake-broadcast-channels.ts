import { randomBytes } from 'node:crypto';
import { type BroadcastChannels, ChannelRefused } from 'rookery/publish';
import type { Instance } from 'rookery/push-device';

/** Apple's broadcast channels, in this process. */
export class FakeBroadcastChannels implements BroadcastChannels {
  /** The channels that an app may have; Apple allows 10,000. */
  limit = 10_000;
  private readonly byApp = new Map<string, Set<string>>();

  async create({ id }: Instance, bundleIdentifier: string): Promise<string> {
    const channels = this.byApp.get(`${id} ${bundleIdentifier}`) ?? new Set<string>();
    if (channels.size >= this.limit) throw new ChannelRefused('CannotCreateChannelConfig');
    const channelId = randomBytes(12).toString('base64');
    this.byApp.set(`${id} ${bundleIdentifier}`, channels.add(channelId));
    return channelId;
  }

  async delete({ id }: Instance, bundleIdentifier: string, channelId: string): Promise<void> {
    this.byApp.get(`${id} ${bundleIdentifier}`)?.delete(channelId);
  }

  /** Whether the channel exists. */
  has({ id }: Instance, bundleIdentifier: string, channelId: string): boolean {
    return this.byApp.get(`${id} ${bundleIdentifier}`)?.has(channelId) === true;
  }

  /** Deletes all channels, as if elsewhere, and allows 10,000 again. */
  reset(): void {
    this.byApp.clear();
    this.limit = 10_000;
  }
}
