import {
  type BeforeApplicationShutdown,
  Logger,
  type OnApplicationBootstrap,
  type OnApplicationShutdown,
} from '@nestjs/common';
import { type ClaimedJob, type DeadJobLimits, type JobOutcome, JobRunner, type JobStore } from 'rookery/jobs';
import { loggedUrl } from '../logged-url.js';
import { type TryOutcome, WebhookClient } from './webhook-client.js';
import { deliveryOf, jobOf, longestTryMs, stateOf, type WebhookDelivery } from './webhook-delivery.js';

/** How a {@link WebhookSender} works. */
export interface WebhookSenderOptions {
  /** Tries under way at once. Endpoints that fail or are slow have at most half of them. @default 256 */
  readonly concurrency?: number;
  /** Tries under way at once to one endpoint. @default 8 */
  readonly concurrencyPerEndpoint?: number;
  /** How often the queue is asked for what other processes left, in milliseconds. @default 1000 */
  readonly pollMs?: number;
  /** How long a shutdown waits for what is due and under way, in milliseconds. @default 5000 */
  readonly shutdownMs?: number;
  /** Whether untrusted URLs may reach private addresses. @default false */
  readonly allowPrivateNetwork?: boolean;
  /** How many of those that were given up are kept. @default 1000 of an owner, for 14 days */
  readonly deadLetters?: DeadJobLimits;
  /** Webhooks that may be in the queue; beyond it, the earliest of the longest queues are given up. @default Infinity */
  readonly maxWaiting?: number;
  /** Called when some are given up or lost, with how many. */
  readonly onGivenUp?: (webhooks: number) => void;
}

/** A claim outlasts the longest try by as much as a delivery may wait for its turn after it was claimed. */
const leaseMs = 2 * longestTryMs;

/** A try that takes longer counts as trouble, whatever its answer, in milliseconds. */
const slowMs = 2000;

/**
 * Sends the webhooks of a queue until each delivery is accepted with 2xx, or its tries or its time are over. An endpoint
 * that fails or is slow delays no other endpoint.
 */
export class WebhookSender implements OnApplicationBootstrap, BeforeApplicationShutdown, OnApplicationShutdown {
  private readonly logger = new Logger(WebhookSender.name);
  private readonly runner: JobRunner;
  /** What is on its way into the queue. */
  private readonly adding = new Set<Promise<unknown>>();
  private readonly deliveries = new WeakMap<ClaimedJob, WebhookDelivery>();
  private readonly shutdownMs: number;
  private readonly onGivenUp: (webhooks: number) => void;
  private stopsAt: number | undefined;

  constructor(
    private readonly jobs: JobStore,
    options: WebhookSenderOptions = {},
    private readonly client: Pick<WebhookClient, 'post' | 'close'> = new WebhookClient(
      options.allowPrivateNetwork ?? false,
    ),
  ) {
    const { concurrency = 256, concurrencyPerEndpoint = 8, pollMs = 1000, maxWaiting = Infinity } = options;
    if (!(concurrency >= 2)) throw new Error(`WebhookSender: concurrency must be at least 2, got ${concurrency}`);
    if (!(concurrencyPerEndpoint >= 1))
      throw new Error(`WebhookSender: concurrencyPerEndpoint must be at least 1, got ${concurrencyPerEndpoint}`);
    this.shutdownMs = options.shutdownMs ?? 5000;
    this.onGivenUp = options.onGivenUp ?? (() => {});
    this.runner = new JobRunner(jobs, {
      jobs: 'webhooks',
      run: ({ job }) => this.try(this.deliveryOf(job)),
      sequenceOf: (job) => this.deliveryOf(job).sequence,
      concurrency,
      perKey: concurrencyPerEndpoint,
      slowMs,
      leaseMs,
      longestRunMs: longestTryMs,
      pollMs,
      maxWaiting,
      onGivenUp: this.onGivenUp,
      deadJobs: options.deadLetters ?? { most: 1000, keepMs: 14 * 86_400_000 },
    });
  }

  /** Sends what an earlier process left. */
  onApplicationBootstrap(): void {
    this.runner.start();
  }

  /** Keeps deliveries in the queue and starts on them at once. Answers when they are kept. */
  async send(deliveries: readonly WebhookDelivery[]): Promise<{ readonly dropped: number }> {
    const adding = this.jobs.add(deliveries.map(jobOf));
    const settled = adding.catch(() => undefined).then(() => void this.adding.delete(settled));
    this.adding.add(settled);
    const kept = await adding;
    if (kept.dropped > 0) this.onGivenUp(kept.dropped);
    this.wake();
    return kept;
  }

  /** Counts deliveries that never came into the queue. */
  lost(deliveries: number): void {
    this.onGivenUp(deliveries);
  }

  /** Looks into the queue now: for those who added to it themselves, in a transaction of theirs. */
  wake(): void {
    this.runner.wake();
  }

  /** Waits for what is under way: a host's database may be closed before `onApplicationShutdown` is called here. */
  async beforeApplicationShutdown(): Promise<void> {
    await this.inTime(this.finished());
  }

  /** Gives what is due and under way its time; what is not finished then stays in the queue. */
  async onApplicationShutdown(): Promise<void> {
    await this.inTime(this.drained());
    const stopped = this.runner.stop();
    await this.client.close();
    await stopped;
    await this.jobs.close();
  }

  /** A shutdown has one time for both of its steps. */
  private async inTime(work: Promise<void>): Promise<void> {
    this.stopsAt ??= performance.now() + this.shutdownMs;
    const left = Math.max(0, this.stopsAt - performance.now());
    await Promise.race([work, new Promise((resolve) => void setTimeout(resolve, left).unref())]);
  }

  private async finished(): Promise<void> {
    await Promise.all(this.adding);
    await this.runner.finished();
  }

  private async drained(): Promise<void> {
    do {
      await Promise.all(this.adding);
      await this.runner.drain();
    } while (this.adding.size > 0);
  }

  /** Read once. */
  private deliveryOf(job: ClaimedJob): WebhookDelivery {
    const known = this.deliveries.get(job) ?? deliveryOf(job);
    this.deliveries.set(job, known);
    return known;
  }

  private async try(delivery: WebhookDelivery): Promise<JobOutcome> {
    const { id, owner, url, dueAt, expiresAt, retryDelaysMs } = delivery;
    const tried = await this.post(delivery, Date.now());
    if (tried.outcome === 'accepted') return { outcome: 'done' };
    // A try that the shutdown cut short does not count.
    if (this.runner.isStopped) return { outcome: 'retry', dueAt };
    const [delayMs = Infinity, ...left] = retryDelaysMs;
    const nextAt = Date.now() + delayMs;
    if (tried.outcome === 'failed' && nextAt <= expiresAt)
      return { outcome: 'retry', dueAt: nextAt, state: stateOf({ retryDelaysMs: left, expiresAt }) };
    this.logger.warn(`Gave up webhook ${id} of ${owner} to ${loggedUrl(url)}: ${tried.reason}`);
    return { outcome: 'bury', reason: tried.reason };
  }

  private async post(delivery: WebhookDelivery, now: number): Promise<TryOutcome> {
    if (now > delivery.expiresAt) return { outcome: 'refused', reason: 'its time is over' };
    try {
      return await this.client.post(delivery, Math.min(delivery.timeoutMs, longestTryMs));
    } catch (error) {
      this.logger.error(`Webhook ${delivery.id} of ${delivery.owner} cannot be sent`, error);
      return { outcome: 'failed', reason: 'it cannot be sent' };
    }
  }
}
