import { Inject, Injectable, Logger } from '@nestjs/common';
import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Instance, InstanceRepository } from 'rookery/push-device';
import { environmentOf } from '../../delivery/apns/apns-account.js';
import type { BroadcastChannels } from '../../delivery/broadcast-channels.js';
import { PlatformFault, SendLater } from '../../delivery/push.gateway.js';
import { PushGateways } from '../../delivery/push-gateways.js';
import { instanceNotFound } from '../../publish.errors.js';
import { type Clock, publishClock } from '../../publish.options.js';
import {
  type BroadcastChannel,
  type BroadcastChannelName,
  LiveActivityRepository,
} from './live-activity.repository.js';

/** The app whose channel it is, and how Apple is to keep its updates. */
export interface ChannelOptions {
  /** The app's bundle identifier, such as `com.example.app`. */
  readonly bundleIdentifier: string;
  /**
   * Whether Apple keeps the latest update for devices that are offline, for up to eight hours. Without it, Apple allows
   * more updates. Only a new channel is created so; an existing one stays as it is. @default true
   */
  readonly storesLatest?: boolean;
}

/** Longer than a request to Apple may take. */
const reservationMs = 60_000;
/** How long to wait for another process that is creating the channel. */
const patienceMs = 5000;
const lookAgainMs = 50;

/**
 * The broadcast channels of interests at Apple. A channel is created when an app first asks for it, because no device
 * can listen before, and stays until it is removed.
 */
@Injectable()
export class LiveActivityChannels {
  private readonly logger = new Logger('LiveActivities');

  constructor(
    private readonly instances: InstanceRepository,
    private readonly repository: LiveActivityRepository,
    private readonly gateways: PushGateways,
    @Inject(publishClock) private readonly now: Clock,
  ) {}

  /**
   * The channel of an interest for an app; created if there is none.
   *
   * @throws SendLater if Apple is busy, PlatformFault if it refuses the key, ChannelRefused if it refuses the channel
   */
  async ensure(instanceId: string, interest: string, options: ChannelOptions): Promise<BroadcastChannel> {
    return this.ensureFor(await this.instance(instanceId), interest, options);
  }

  /** Removes the channel of an interest for an app, here and at Apple. Devices that listen to it get no more updates. */
  async remove(instanceId: string, interest: string, bundleIdentifier: string): Promise<void> {
    const instance = await this.instance(instanceId);
    const channels = await this.of(instance, [interest]);
    const channel = channels.find((one) => one.bundleIdentifier === bundleIdentifier);
    if (!channel) return;
    await this.management().delete(instance, bundleIdentifier, channel.channelId);
    await this.repository.removeChannel(channel, channel.channelId);
  }

  /** The existing channels of interests, in the environment of the instance's gateway. */
  async of(instance: Instance, interests: readonly string[]): Promise<readonly BroadcastChannel[]> {
    return this.repository.channels(instance.id, environmentOf(instance), interests);
  }

  async ensureFor(
    instance: Instance,
    interest: string,
    { bundleIdentifier, storesLatest = true }: ChannelOptions,
  ): Promise<BroadcastChannel> {
    const name = { instanceId: instance.id, environment: environmentOf(instance), interest, bundleIdentifier };
    const by = randomUUID();
    for (const over = performance.now() + patienceMs; performance.now() < over; await sleep(lookAgainMs)) {
      const now = this.now();
      const found = await this.repository.reserve(name, { by, now, until: now + reservationMs });
      if (found === 'reserved') return this.create(instance, name, storesLatest, by);
      if (found !== 'busy') return found;
    }
    throw new SendLater('ChannelReserved', 1000);
  }

  /** A new channel in place of one that Apple no longer knows. */
  async replace(instance: Instance, lost: BroadcastChannel): Promise<BroadcastChannel> {
    await this.repository.removeChannel(lost, lost.channelId);
    return this.ensureFor(instance, lost.interest, lost);
  }

  private async create(
    instance: Instance,
    name: BroadcastChannelName,
    storesLatest: boolean,
    by: string,
  ): Promise<BroadcastChannel> {
    const management = this.management();
    let channelId: string;
    try {
      channelId = await management.create(instance, name.bundleIdentifier, storesLatest);
    } catch (error) {
      await this.repository.release(name, by);
      throw error;
    }
    const channel = { ...name, channelId, storesLatest };
    if (await this.isKept(instance, channel, by)) return channel;
    // It took longer than the reservation, and another process creates the channel now.
    await management.delete(instance, name.bundleIdentifier, channelId);
    throw new SendLater('ChannelReserved', 1000);
  }

  /** Removes a channel that cannot be kept from Apple again, where it would stay unknown and count towards a limit. */
  private async isKept(instance: Instance, channel: BroadcastChannel, by: string): Promise<boolean> {
    try {
      return await this.repository.keep(channel, by);
    } catch (error) {
      const { bundleIdentifier, channelId } = channel;
      // Should it be kept all the same, Apple does not know it at the next update, and it is created anew.
      await this.management()
        .delete(instance, bundleIdentifier, channelId)
        .catch(() => this.logger.warn(`Channel ${channelId} of ${bundleIdentifier} stays at Apple, and is not used`));
      throw error;
    }
  }

  private management(): BroadcastChannels {
    const { channels } = this.gateways.of('apns');
    if (!channels) throw new PlatformFault('The APNs gateway of this application does not manage channels');
    return channels;
  }

  private async instance(id: string): Promise<Instance> {
    const instance = await this.instances.find(id);
    if (!instance) throw instanceNotFound();
    return instance;
  }
}
