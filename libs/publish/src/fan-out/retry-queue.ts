import type { Retry } from '../outbox/partition.js';
import type { PublishOutbox, WaitingRetries } from '../outbox/publish.outbox.js';
import { platformFault, type DeferredDevice } from './page-outcome.js';
import { type Backoff, retryDelay } from './retry-delay.js';

/** Longer than a gateway may take to answer or fail. */
const lateMs = 120_000;

/**
 * The devices of one partition that wait for another try. The outbox stores them; this keeps only their number and earliest
 * time.
 */
export class RetryQueue {
  /** The number of tries so far, for each device in progress. */
  private readonly attempts = new Map<string, number>();

  constructor(
    private readonly outbox: PublishOutbox,
    private readonly publishId: string,
    private readonly partition: string,
    private waiting: WaitingRetries | undefined,
  ) {}

  get count(): number {
    return this.waiting?.count ?? 0;
  }

  /** When the first retry is due, in epoch milliseconds. */
  get dueAt(): number {
    return this.waiting?.dueAt ?? Infinity;
  }

  /** Returns at most `limit` devices that are due: first those without a try, which a stopping process has skipped. */
  async due(now: number, limit: number): Promise<{ readonly due: readonly string[]; readonly isFirst: boolean }> {
    const all = await this.outbox.retries(this.publishId, this.partition, now, limit);
    const untried = all.filter(({ attempts }) => attempts === 0);
    const isFirst = untried.length > 0;
    const due = isFirst ? untried : all;
    for (const { deviceId, attempts } of due) this.attempts.set(deviceId, attempts);
    return { due: due.map(({ deviceId }) => deviceId), isFirst };
  }

  /**
   * Returns the next tries of deferred devices. Those stopped by a platform fault become due together, so that a few of
   * them can probe for all.
   */
  again(
    deferred: readonly DeferredDevice[],
    now: number,
    backoff: Backoff,
  ): readonly (readonly [DeferredDevice, Retry])[] {
    let togetherAt = 0;
    const pairs = deferred.map((one): [DeferredDevice, Retry] => {
      const attempts = this.next(one.device.id);
      const dueAt = now + retryDelay(attempts, backoff, one.retryAfterMs);
      if (one.reason === platformFault) togetherAt = Math.max(togetherAt, dueAt);
      return [one, { deviceId: one.device.id, attempts, dueAt }];
    });
    return pairs.map(([one, retry]) => [one, one.reason === platformFault ? { ...retry, dueAt: togetherAt } : retry]);
  }

  /** The next try of a device whose gateway has not answered yet: used only after a crash. */
  late(deviceId: string, now: number): Retry {
    return { deviceId, attempts: this.next(deviceId), dueAt: now + lateMs };
  }

  /** The try of a device that a stopping process has skipped: due at once, and not counted. */
  skipped(deviceId: string, now: number): Retry {
    return { deviceId, attempts: this.attempts.get(deviceId) ?? 0, dueAt: now };
  }

  /** Rereads the state of the queue after a change; `settled` devices are no longer in progress. */
  async refresh(settled: readonly string[]): Promise<void> {
    for (const deviceId of settled) this.attempts.delete(deviceId);
    const all = await this.outbox.waiting(this.publishId);
    this.waiting = all.find(({ partition }) => partition === this.partition);
  }

  private next(deviceId: string): number {
    return (this.attempts.get(deviceId) ?? 0) + 1;
  }
}
