import type { Retry } from '../outbox/lane.js';
import type { PublishOutbox, WaitingRetries } from '../outbox/publish.outbox.js';
import { platformFault, type PutOff } from './page-outcome.js';
import { type Backoff, retryDelay } from './retry-delay.js';

/** Longer than a gateway may take to answer or to give up. */
const lateMs = 120_000;

/**
 * The devices of one lane that wait for another try. The outbox stores them; here is only their number and earliest
 * time.
 */
export class RetryQueue {
  /** The number of tries so far, for each device under way. */
  private readonly attempts = new Map<string, number>();

  constructor(
    private readonly outbox: PublishOutbox,
    private readonly publishId: string,
    private readonly lane: string,
    private waiting: WaitingRetries | undefined,
  ) {}

  get count(): number {
    return this.waiting?.count ?? 0;
  }

  /** When the first is due, in epoch milliseconds. */
  get dueAt(): number {
    return this.waiting?.dueAt ?? Infinity;
  }

  /** The devices that are due, at most `limit`. */
  async due(now: number, limit: number): Promise<readonly string[]> {
    const due = await this.outbox.retries(this.publishId, this.lane, now, limit);
    for (const { deviceId, attempts } of due) this.attempts.set(deviceId, attempts);
    return due.map(({ deviceId }) => deviceId);
  }

  /**
   * The next tries of deferred devices. Those stopped by a platform fault become due together, so that a few of them
   * can probe for all.
   */
  again(putOff: readonly PutOff[], now: number, backoff: Backoff): readonly (readonly [PutOff, Retry])[] {
    let togetherAt = 0;
    const pairs = putOff.map((one): [PutOff, Retry] => {
      const attempts = this.next(one.device.id);
      const dueAt = now + retryDelay(attempts, backoff, one.retryAfterMs);
      if (one.reason === platformFault) togetherAt = Math.max(togetherAt, dueAt);
      return [one, { deviceId: one.device.id, attempts, dueAt }];
    });
    return pairs.map(([one, retry]) => [one, one.reason === platformFault ? { ...retry, dueAt: togetherAt } : retry]);
  }

  /** The next try of a device whose gateway has not answered yet: only used after a crash. */
  late(deviceId: string, now: number): Retry {
    return { deviceId, attempts: this.next(deviceId), dueAt: now + lateMs };
  }

  /** Reads the state of the queue again after a change; `settled` devices are no longer under way. */
  async refresh(settled: readonly string[]): Promise<void> {
    for (const deviceId of settled) this.attempts.delete(deviceId);
    const all = await this.outbox.waiting(this.publishId);
    this.waiting = all.find(({ lane }) => lane === this.lane);
  }

  private next(deviceId: string): number {
    return (this.attempts.get(deviceId) ?? 0) + 1;
  }
}
