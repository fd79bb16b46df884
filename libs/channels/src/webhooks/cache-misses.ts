import type { Logger } from '@nestjs/common';
import type { App } from '../app/app.js';
import type { Throttle } from '../throttle.js';
import { DelayQueue } from './delay-queue.js';

/** How many are remembered. */
const limit = 100_000;

/** Reports one cache_miss where several subscribers, of any process, miss an empty cache at the same time. */
export class CacheMisses {
  private readonly recent: DelayQueue<true>;

  constructor(
    private readonly everyMs: number,
    private readonly throttle: Throttle,
    private readonly logger: Logger,
  ) {
    this.recent = new DelayQueue(everyMs, limit, () => {});
  }

  /** Never throws or waits. */
  once(app: App, channel: string, report: () => void): void {
    const key = `${app.id.length} ${app.id} ${channel}`;
    if (this.recent.get(key)) return;
    this.recent.add(key, true);
    const isFirst = this.throttle.isFirst(`cache_miss ${key}`, this.everyMs);
    if (isFirst === true) report();
    else if (isFirst instanceof Promise)
      isFirst.then(
        (isFirstOfAll) => isFirstOfAll && report(),
        (error: unknown) => this.logger.error(`cache_miss of ${channel} (app ${app.id}) was not sent`, error),
      );
  }

  close(): void {
    this.recent.close();
  }
}
