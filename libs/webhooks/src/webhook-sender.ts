import {
  type BeforeApplicationShutdown,
  Logger,
  type OnApplicationBootstrap,
  type OnApplicationShutdown,
} from '@nestjs/common';
import { settledIn } from '#common';
import { type DeadJobLimits, type JobOutcome, JobRunner, type JobStore } from 'rookery/internal/jobs';
import { FailingEndpoints } from './failing-endpoints.js';
import { type TryOutcome, WebhookClient } from './webhook-client.js';
import {
  deliveryOf,
  endpointOfJob,
  jobOf,
  longestTryMs,
  sequenceOf,
  stateOf,
  type WebhookDelivery,
} from './webhook-delivery.js';

/** Options of a {@link WebhookSender}. */
export interface WebhookSenderOptions {
  /** Concurrent tries. Failing or slow endpoints get at most half of them. @default 256 */
  readonly concurrency?: number;
  /** Concurrent attempts to one endpoint. @default 8 */
  readonly concurrencyPerEndpoint?: number;
  /** How often to poll the queue for webhooks of other processes, in milliseconds. @default 1000 */
  readonly pollMs?: number;
  /** How long a shutdown waits for due webhooks and tries in progress, in milliseconds. @default 5000 */
  readonly shutdownMs?: number;
  /** Whether untrusted URLs may reach private addresses. @default false */
  readonly allowPrivateNetwork?: boolean;
  /** How many dead letters to keep. @default 10000 and 16 MB per owner, for 14 days */
  readonly deadLetters?: DeadJobLimits;
  /** Webhooks that may be in the queue; beyond it, the earliest of the longest queues are given up. @default Infinity */
  readonly maxWaiting?: number;
  /** Called with the number of webhooks that were given up or lost. */
  readonly onGivenUp?: (webhooks: number) => void;
}

const defaultDeadLetters: DeadJobLimits = {
  most: 10_000,
  maxBytes: 16 * 1024 * 1024,
  keepMs: 14 * 86_400_000,
};

/** A claim outlasts the longest try by the time a claimed delivery may wait for its turn. */
const leaseMs = 2 * longestTryMs;

/** The least time for the webhooks that the shutdown has caused, in milliseconds. */
const ownMs = 2000;

/** How long the queue may take at the end of a shutdown; beyond it, webhooks are sent again when their lease ends. */
const stopMs = 1000;

/** A try that takes longer counts as trouble, whatever the response, in milliseconds. */
const slowMs = 2000;

/**
 * Sends each webhook of a queue until a 2xx accepts it, its tries run out, or it expires. A failing or slow endpoint
 * delays no other endpoint.
 */
export class WebhookSender implements OnApplicationBootstrap, BeforeApplicationShutdown, OnApplicationShutdown {
  private readonly logger = new Logger(WebhookSender.name);
  private readonly runner: JobRunner;
  /** Pending calls of the queue's `add`. */
  private readonly adding = new Set<Promise<unknown>>();
  private readonly shutdownMs: number;
  private readonly onGivenUp: (webhooks: number) => void;
  private readonly failures: FailingEndpoints;
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
    this.failures = new FailingEndpoints(this.logger);
    this.runner = new JobRunner(jobs, {
      jobs: 'webhooks',
      run: ({ job }) => this.try(deliveryOf(job)),
      shareOf: endpointOfJob,
      sequenceOf,
      concurrency,
      perKey: concurrencyPerEndpoint,
      slowMs,
      leaseMs,
      longestRunMs: longestTryMs,
      pollMs,
      maxWaiting,
      onGivenUp: this.onGivenUp,
      deadJobs: options.deadLetters ?? defaultDeadLetters,
    });
  }

  /** Sends the webhooks that an earlier process left. */
  onApplicationBootstrap(): void {
    this.runner.start();
  }

  /** Stores deliveries in the queue and starts sending at once. Resolves when they are stored. */
  async send(deliveries: readonly WebhookDelivery[]): Promise<{ readonly dropped: number }> {
    const adding = this.jobs.add(deliveries.map(jobOf));
    const settled = adding.catch(() => undefined).then(() => void this.adding.delete(settled));
    this.adding.add(settled);
    const kept = await adding;
    if (kept.dropped > 0) this.onGivenUp(kept.dropped);
    this.wake();
    return kept;
  }

  /** Tries a delivery now, outside of the queue. */
  tryOnce(delivery: WebhookDelivery): Promise<TryOutcome> {
    return this.post(delivery);
  }

  /** Counts deliveries that never reached the queue. */
  lost(deliveries: number): void {
    this.onGivenUp(deliveries);
  }

  /** Polls the queue now: for callers that added to it in their own transaction. */
  wake(): void {
    this.runner.wake();
  }

  /** Waits for tries in progress: the host may close its database before Nest calls `onApplicationShutdown` here. */
  async beforeApplicationShutdown(): Promise<void> {
    await this.inTime(this.finished());
  }

  /** Waits for due webhooks and tries in progress; unfinished webhooks stay in the queue. */
  async onApplicationShutdown(): Promise<void> {
    await this.inTime(this.drained(), ownMs);
    const stopped = this.runner.stop();
    await this.client.close();
    await settledIn(stopped, stopMs);
    this.failures.close();
    await this.jobs.close();
  }

  /** Both steps of a shutdown share one time limit; the second has some of its own, for what the shutdown has caused. */
  private async inTime(work: Promise<void>, atLeastMs = 0): Promise<void> {
    this.stopsAt ??= performance.now() + this.shutdownMs;
    const left = Math.max(atLeastMs, this.stopsAt - performance.now());
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

  private async try(delivery: WebhookDelivery): Promise<JobOutcome> {
    const { dueAt, expiresAt, retryDelaysMs, lastReason } = delivery;
    // The first try is owed even if the webhook expired while no process could send it.
    if (lastReason !== undefined && Date.now() > expiresAt) return this.giveUp(delivery, lastReason);
    const tried = await this.post(delivery);
    if (tried.outcome === 'accepted') {
      this.failures.accepted(delivery);
      return { outcome: 'done' };
    }
    // A try that the shutdown interrupted does not count.
    if (this.runner.isStopped) return { outcome: 'retry', dueAt };
    const reason = tried.answer === undefined ? tried.reason : `${tried.reason}: ${tried.answer}`;
    const [delayMs = Infinity, ...left] = retryDelaysMs;
    const nextAt = Date.now() + delayMs;
    if (tried.outcome === 'refused' || nextAt > expiresAt) return this.giveUp(delivery, reason);
    this.failures.failed(delivery, reason);
    const state = stateOf({ retryDelaysMs: left, expiresAt, lastReason: reason });
    return { outcome: 'retry', dueAt: nextAt, state };
  }

  private giveUp(delivery: WebhookDelivery, reason: string): JobOutcome {
    this.failures.gaveUp(delivery, reason);
    return { outcome: 'bury', reason };
  }

  private async post(delivery: WebhookDelivery): Promise<TryOutcome> {
    try {
      return await this.client.post(delivery, Math.min(delivery.timeoutMs, longestTryMs));
    } catch (error) {
      this.logger.error(`Webhook ${delivery.id} of ${delivery.owner} cannot be sent`, error);
      return { outcome: 'failed', reason: 'it cannot be sent' };
    }
  }
}
