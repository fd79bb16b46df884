import { Injectable, type OnApplicationBootstrap, type OnApplicationShutdown } from '@nestjs/common';

const windowMs = 10_000;
/** The most channels of an app that are counted in a window. */
const maxChannels = 10_000;

type Counts = Map<string, Map<string, number>>;

/** How many events this process has sent to each channel in the last 10 to 20 seconds. */
@Injectable()
export class ChannelRates implements OnApplicationBootstrap, OnApplicationShutdown {
  private now: Counts = new Map();
  private before: Counts = new Map();
  private beganAt = performance.now();
  private beforeBeganAt = this.beganAt;
  private timer: NodeJS.Timeout | undefined;

  onApplicationBootstrap(): void {
    this.timer = setInterval(() => this.turn(), windowMs).unref();
  }

  onApplicationShutdown(): void {
    clearInterval(this.timer);
  }

  count(appId: string, channel: string): void {
    let counts = this.now.get(appId);
    if (!counts) this.now.set(appId, (counts = new Map()));
    const count = counts.get(channel);
    if (count !== undefined || counts.size < maxChannels) counts.set(channel, (count ?? 0) + 1);
  }

  /** Events per second, of channels that had any. */
  of(appId: string): ReadonlyMap<string, number> {
    const seconds = Math.max(1, (performance.now() - this.beforeBeganAt) / 1000);
    const rates = new Map<string, number>();
    for (const counts of [this.before.get(appId), this.now.get(appId)])
      for (const [channel, count] of counts ?? []) rates.set(channel, (rates.get(channel) ?? 0) + count / seconds);
    return rates;
  }

  private turn(): void {
    [this.before, this.now] = [this.now, new Map()];
    [this.beforeBeganAt, this.beganAt] = [this.beganAt, performance.now()];
  }
}
