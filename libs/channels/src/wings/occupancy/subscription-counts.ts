import { type BeforeApplicationShutdown, Injectable, Logger, type OnApplicationShutdown } from '@nestjs/common';
import type { App } from '../../app/app.js';
import { Broker } from '../../broker/broker.js';
import type { ChannelName } from '../../protocol/channel-name.js';
import { subscriptionCount } from '../../protocol/frames.js';
import { ChannelRepository } from '../../storage/channel.repository.js';
import { Throttle } from '../../throttle.js';
import type { VersionedCount } from './local-occupancy.js';
import { DelayQueue } from '../../webhooks/delay-queue.js';
import { WebhooksService } from '../../webhooks/webhooks.service.js';

const largeChannel = 100;
const largeChannelEveryMs = 5000;
/** One client that enters and leaves all the time would cause a frame for each subscriber each time. */
const smallChannelEveryMs = 200;
/** How many channels are remembered, large and small; beyond it, the oldest may be announced again early. */
const limit = 10_000;

/** A large channel whose count was announced recently, or any whose count could not be published. */
interface RecentCount {
  app: App;
  readonly channel: ChannelName;
  /** Whether the count has changed since. */
  hasChanged: boolean;
  /** Whether subscribers have not been sent the latest count. */
  isOwed: boolean;
}

/** A channel whose count was announced a moment ago. */
interface SmallChannel {
  app: App;
  readonly channel: ChannelName;
  /** The latest count since then. */
  latest: VersionedCount | undefined;
}

/**
 * Announces a channel's number of connections on it (channels-wire §4): the first change at once, then the latest number
 * every 200 milliseconds; above 100 connections every 5 seconds, by any process.
 */
@Injectable()
export class SubscriptionCounts implements BeforeApplicationShutdown, OnApplicationShutdown {
  private readonly logger = new Logger(SubscriptionCounts.name);
  private readonly recent = new DelayQueue<RecentCount>(largeChannelEveryMs, limit, (recent) =>
    this.announceLatest(recent),
  );
  private readonly small = new DelayQueue<SmallChannel>(smallChannelEveryMs, limit, ({ app, channel, latest }) => {
    if (latest) this.smallChanged(app, channel, latest);
  });
  private isStopped = false;

  constructor(
    private readonly broker: Broker,
    private readonly repository: ChannelRepository,
    private readonly webhooks: WebhooksService,
    private readonly once: Throttle,
  ) {}

  changed(app: App, channel: ChannelName, latest: VersionedCount): void {
    if (!app.subscriptionCount || channel.access === 'presence') return;
    if (latest.count <= largeChannel) return this.smallChanged(app, channel, latest);
    this.small.take(keyOf(app, channel));
    this.largeChanged(app, channel, latest.count);
  }

  /** From now on, each change is announced at once: clients of other processes would miss the latest. */
  beforeApplicationShutdown(): void {
    this.small.close();
  }

  onApplicationShutdown(): void {
    this.isStopped = true;
    this.recent.close();
  }

  private smallChanged(app: App, channel: ChannelName, latest: VersionedCount): void {
    const key = keyOf(app, channel);
    const recent = this.small.get(key);
    if (recent) {
      recent.app = app;
      if (latest.version >= (recent.latest?.version ?? 0)) recent.latest = latest;
      return;
    }
    this.small.add(key, { app, channel, latest: undefined });
    this.announce(app, channel, latest.count, latest.version);
  }

  private largeChanged(app: App, channel: ChannelName, count: number): void {
    const key = keyOf(app, channel);
    const recent = this.recent.get(key);
    if (recent) {
      recent.app = app;
      recent.hasChanged = true;
      return;
    }
    const latest = { app, channel, hasChanged: false, isOwed: false };
    this.recent.add(key, latest);
    const isFirst = this.once.isFirst(`subscription_count ${key}`, largeChannelEveryMs);
    const announce = (first: boolean): void => {
      if (first) this.announce(app, channel, count);
      // Another process sent the count before this change.
      else latest.hasChanged = true;
    };
    if (!(isFirst instanceof Promise)) announce(isFirst);
    else isFirst.then(announce, (error: unknown) => this.failed(app, channel, error, true));
  }

  private announceLatest({ app, channel, hasChanged, isOwed }: RecentCount): void {
    if ((hasChanged || isOwed) && !this.isStopped) void this.recount(app, channel, hasChanged);
  }

  /** @param hasChanged if not, webhooks have the count already */
  private async recount(app: App, channel: ChannelName, hasChanged: boolean): Promise<void> {
    try {
      const [count = 0] = await this.repository.subscriptionCounts(app.id, [channel.name]);
      if (!hasChanged) await this.publish(app, channel, count);
      else if (count <= largeChannel) this.announce(app, channel, count);
      else this.largeChanged(app, channel, count);
    } catch (error) {
      this.failed(app, channel, error, hasChanged);
    }
  }

  /** The count is sent with the next that is due. */
  private failed(app: App, channel: ChannelName, error: unknown, hasChanged: boolean): void {
    this.logger.error(`subscription_count of ${channel.name} (app ${app.id}) was not sent, and will be again`, error);
    const key = keyOf(app, channel);
    const recent = this.recent.get(key);
    if (!recent) return this.isStopped ? undefined : this.recent.add(key, { app, channel, hasChanged, isOwed: true });
    recent.isOwed = true;
    recent.hasChanged ||= hasChanged;
  }

  private announce(app: App, channel: ChannelName, count: number, version?: number): void {
    if (count > 0) void this.publish(app, channel, count, version);
    const { name } = channel;
    this.webhooks.emit(app, { name: 'subscription_count', channel: name, subscription_count: count });
  }

  private async publish(app: App, channel: ChannelName, count: number, version?: number): Promise<void> {
    const { name } = channel;
    const event = { kind: 'event' as const, appId: app.id, channel: name, text: subscriptionCount(name, count) };
    try {
      // Several processes, and subscriptions under way, announce at different speeds: the latest number wins.
      await this.broker.publish(
        version === undefined ? event : { ...event, change: { userId: '', isPresent: true, version } },
      );
    } catch (error) {
      this.failed(app, channel, error, false);
    }
  }
}

const keyOf = ({ id }: App, { name }: ChannelName): string => `${id}/${name}`;
