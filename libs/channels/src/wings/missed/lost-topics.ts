import { Injectable, Logger } from '@nestjs/common';
import { counted } from '#http';
import type { Topic } from '../../broker/broker.js';
import type { ChannelObserver } from '../../hub/channel-observer.js';
import { Hub } from '../../hub/hub.js';
import { ChannelsMetrics } from '../../metrics.js';

/** After a reconnect, lost channels are reported in many steps, mostly within this time of each other. */
const togetherMs = 100;

/** The channels that may have lost messages on their way to this process, until they are compared with shared state. */
@Injectable()
export class LostTopics implements ChannelObserver {
  private readonly logger = new Logger('Channels');
  private readonly topics = new Map<string, Topic>();
  private unlogged = 0;

  constructor(
    private readonly hub: Hub,
    private readonly metrics: ChannelsMetrics,
  ) {
    hub.observe(this);
  }

  lost(topic: Topic): void {
    this.add(topic);
    this.metrics.gaps.inc();
    if (this.unlogged === 0) setTimeout(() => this.log(), togetherMs).unref();
    this.unlogged += 1;
  }

  /** Adds all channels of this process: rosters and counts that were sent may have lacked entries. */
  addAll(): void {
    for (const { appId, channel } of this.hub.channels()) this.add({ appId, channel });
  }

  /** Those that were added since the last call, and still have connections here. */
  take(): readonly Topic[] {
    const topics = [...this.topics.values()].filter(({ appId, channel }) => this.hub.has(appId, channel));
    this.topics.clear();
    return topics;
  }

  private add(topic: Topic): void {
    this.topics.set(`${topic.appId.length} ${topic.appId} ${topic.channel}`, topic);
  }

  private log(): void {
    const channels = counted(this.unlogged, 'channel');
    this.unlogged = 0;
    this.logger.warn(`Messages of ${channels} may have been lost on their way to this process`);
  }
}
