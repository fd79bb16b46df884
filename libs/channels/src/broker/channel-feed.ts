import type { Awaitable } from '#common';
import type { Broker, Topic } from './broker.js';

/** Has the broker carry a channel to this process: one call for all who wait for it. */
export class ChannelFeed {
  private isReady = false;
  private isClosed = false;
  private opening: Promise<void> | undefined;

  constructor(
    private readonly broker: Broker,
    private readonly topic: Topic,
  ) {}

  /** Resolves when the broker carries the channel. If the call in progress fails, a waiting caller makes the next. */
  open(): Awaitable<void> {
    if (this.isReady || this.isClosed) return;
    if (this.opening) return this.opening.catch(() => undefined).then(() => this.open());
    const called = this.broker.subscribe(this.topic.appId, this.topic.channel);
    if (!(called instanceof Promise)) {
      this.isReady = true;
      return;
    }
    this.opening = called.then(() => void (this.isReady = true)).finally(() => (this.opening = undefined));
    return this.opening;
  }

  /** Waiting callers are resolved without another call. */
  close(): Awaitable<void> {
    this.isClosed = true;
    return this.broker.unsubscribe(this.topic.appId, this.topic.channel);
  }
}
