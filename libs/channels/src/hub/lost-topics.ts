import type { Logger } from '@nestjs/common';
import { counted } from '#http';
import type { Topic } from '../broker/broker.js';

/** After a reconnect, lost channels are reported in many steps, mostly within this time of each other. */
const togetherMs = 100;

/** The channels that may have lost messages on their way to this process, until they are compared with shared state. */
export class LostTopics {
  private readonly topics = new Map<string, Topic>();
  private unlogged = 0;

  constructor(private readonly logger: Logger) {}

  add(topic: Topic): void {
    this.topics.set(`${topic.appId.length} ${topic.appId} ${topic.channel}`, topic);
  }

  /** Those that were added since the last call. */
  take(): readonly Topic[] {
    const topics = [...this.topics.values()];
    this.topics.clear();
    return topics;
  }

  /** Logs, in one line with others of the moment, how many channels may have lost messages. */
  log(channels: number): void {
    if (this.unlogged === 0) setTimeout(() => this.write(), togetherMs).unref();
    this.unlogged += channels;
  }

  private write(): void {
    const channels = counted(this.unlogged, 'channel');
    this.unlogged = 0;
    this.logger.warn(`Messages of ${channels} may have been lost on their way to this process`);
  }
}
