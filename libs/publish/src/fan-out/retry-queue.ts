import type { Platform } from 'rookery/push-device';
import type { Retry } from '../outbox/lane.js';
import type { PublishOutbox, WaitingRetries } from '../outbox/publish.outbox.js';
import type { PutOff } from './page.js';
import { type Backoff, retryDelay } from './retry-delay.js';

/** The devices of one lane that wait for another try. They are kept in the outbox; here is only how many and since when. */
export class RetryQueue {
  private attempts = new Map<string, number>();

  constructor(
    private readonly outbox: PublishOutbox,
    private readonly publishId: string,
    private readonly platform: Platform,
    private waiting: WaitingRetries | undefined,
  ) {}

  get count(): number {
    return this.waiting?.count ?? 0;
  }

  /** When the first is due, in epoch milliseconds. */
  get dueAt(): number {
    return this.waiting?.dueAt ?? Infinity;
  }

  /** The devices that are due, at most `limit`. How often each was tried is remembered until the next call. */
  async due(now: number, limit: number): Promise<readonly string[]> {
    const due = await this.outbox.retries(this.publishId, this.platform, now, limit);
    this.attempts = new Map(due.map(({ deviceId, attempts }) => [deviceId, attempts]));
    return due.map(({ deviceId }) => deviceId);
  }

  /** The next try of a device that was put off. */
  again({ device, retryAfterMs }: PutOff, now: number, backoff: Backoff): Retry {
    const attempts = (this.attempts.get(device.id) ?? 0) + 1;
    return { deviceId: device.id, attempts, dueAt: now + retryDelay(attempts, backoff, retryAfterMs) };
  }

  /** Looks again at what is waiting, after a change. */
  async refresh(): Promise<void> {
    this.attempts.clear();
    const all = await this.outbox.waiting(this.publishId);
    this.waiting = all.find(({ platform }) => platform === this.platform);
  }
}
