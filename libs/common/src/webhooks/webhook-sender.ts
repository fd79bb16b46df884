import {
  type BeforeApplicationShutdown,
  Logger,
  type OnApplicationBootstrap,
  type OnApplicationShutdown,
} from '@nestjs/common';
import { randomUUID } from 'node:crypto';
import { loggedUrl } from '../logged-url.js';
import type { DeadLetterLimits } from './dead-letter.js';
import { DropReport } from './drop-report.js';
import { EndpointLanes } from './endpoint-lanes.js';
import { type TryFailure, type TryOutcome, WebhookClient } from './webhook-client.js';
import { type ClaimedWebhook, longestTryMs, type WebhookDelivery } from './webhook-delivery.js';
import { WebhookOutbox } from './webhook.outbox.js';

/** How a {@link WebhookSender} works. */
export interface WebhookSenderOptions {
  /** Tries under way at once. Endpoints that fail or are slow have at most half of them. @default 256 */
  readonly concurrency?: number;
  /** Tries under way at once to one endpoint. @default 8 */
  readonly concurrencyPerEndpoint?: number;
  /** How often the outbox is asked for what other processes left, in milliseconds. @default 1000 */
  readonly pollMs?: number;
  /** How long a shutdown waits for what is due and under way, in milliseconds. @default 5000 */
  readonly shutdownMs?: number;
  /** Whether untrusted URLs may reach private addresses. @default false */
  readonly allowPrivateNetwork?: boolean;
  /** How many of those that were given up are kept. @default 1000 of an owner, for 14 days */
  readonly deadLetters?: DeadLetterLimits;
  /** Webhooks that may be in the outbox; beyond it, the earliest of the longest queues are given up. @default Infinity */
  readonly maxWaiting?: number;
  /** Called when some are given up or lost, with how many. */
  readonly onGivenUp?: (webhooks: number) => void;
}

/** A claim outlasts the longest try by as much as a delivery may wait for its turn after it was claimed. */
const leaseMs = 2 * longestTryMs;

/** How often a sender looks whether there is too much in the outbox. */
const depthMs = 5000;

/**
 * Sends what is in a WebhookOutbox until each delivery is accepted with 2xx, or its tries or its time are over. An
 * endpoint that fails or is slow holds up nobody but itself.
 */
export class WebhookSender implements OnApplicationBootstrap, BeforeApplicationShutdown, OnApplicationShutdown {
  private readonly logger = new Logger(WebhookSender.name);
  private readonly lanes: EndpointLanes;
  /** What is on its way into the outbox. */
  private readonly adding = new Set<Promise<unknown>>();
  private readonly tries = new Set<Promise<void>>();
  private readonly pollMs: number;
  private readonly shutdownMs: number;
  private readonly deadLetters: DeadLetterLimits;
  private readonly maxWaiting: number;
  private readonly onGivenUp: (webhooks: number) => void;
  private readonly overflow = new DropReport(this.logger);
  private phase: 'running' | 'draining' | 'stopped' = 'running';
  private claiming: Promise<void> | undefined;
  private again = false;
  private timer: NodeJS.Timeout | undefined;
  private wakesAt = Infinity;
  private lookedAt = -Infinity;
  private stopsAt: number | undefined;

  constructor(
    private readonly outbox: WebhookOutbox,
    options: WebhookSenderOptions = {},
    private readonly client: Pick<WebhookClient, 'post' | 'close'> = new WebhookClient(
      options.allowPrivateNetwork ?? false,
    ),
  ) {
    this.lanes = new EndpointLanes(options.concurrency ?? 256, options.concurrencyPerEndpoint ?? 8);
    this.pollMs = options.pollMs ?? 1000;
    this.shutdownMs = options.shutdownMs ?? 5000;
    this.maxWaiting = options.maxWaiting ?? Infinity;
    this.onGivenUp = options.onGivenUp ?? (() => {});
    this.deadLetters = options.deadLetters ?? { most: 1000, keepMs: 14 * 86_400_000 };
  }

  /** Sends what an earlier process left. */
  onApplicationBootstrap(): void {
    this.wake();
  }

  /** Keeps deliveries in the outbox and starts on them at once. Answers when they are kept. */
  async send(deliveries: readonly WebhookDelivery[]): Promise<{ readonly dropped: number }> {
    const adding = (async () => this.outbox.add(deliveries))();
    const settled = adding.catch(() => undefined).then(() => void this.adding.delete(settled));
    this.adding.add(settled);
    const kept = await adding;
    if (kept.dropped > 0) this.onGivenUp(kept.dropped);
    this.wake();
    return kept;
  }

  /** Counts deliveries that never came into the outbox. */
  lost(deliveries: number): void {
    this.onGivenUp(deliveries);
  }

  /** Looks into the outbox now: for those who added to it themselves, in a transaction of theirs. */
  wake(): void {
    if (this.phase === 'stopped') return;
    this.again = true;
    this.claiming ??= this.claimAll();
  }

  /** Waits for what is under way: a host's database may be closed before `onApplicationShutdown` comes to us. */
  async beforeApplicationShutdown(): Promise<void> {
    await this.inTime(this.finished());
  }

  /** Gives what is due and under way its time; what is not finished then stays in the outbox. */
  async onApplicationShutdown(): Promise<void> {
    this.phase = 'draining';
    clearTimeout(this.timer);
    await this.inTime(this.drained());
    this.phase = 'stopped';
    await this.client.close();
    await Promise.all([...this.tries, ...this.lanes.release().map((delivery) => this.giveBack(delivery))]);
    await this.outbox.close();
  }

  /** A shutdown has one time for both of its steps. */
  private async inTime(work: Promise<void>): Promise<void> {
    this.stopsAt ??= performance.now() + this.shutdownMs;
    const left = Math.max(0, this.stopsAt - performance.now());
    await Promise.race([work, new Promise((resolve) => void setTimeout(resolve, left).unref())]);
  }

  private async finished(): Promise<void> {
    await Promise.all(this.adding);
    await this.claiming;
    await Promise.all(this.tries);
  }

  private async drained(): Promise<void> {
    this.wake();
    while (this.adding.size > 0 || this.claiming || this.tries.size > 0) await this.finished();
  }

  private async claimAll(): Promise<void> {
    try {
      while (this.again && this.phase !== 'stopped') {
        this.again = false;
        this.again = (await this.claimSome()) || this.again;
        this.again = (await this.buryBeyond()) || this.again;
      }
    } catch (error) {
      this.logger.error(`The webhook outbox cannot be read; trying again in ${this.pollMs} ms`, error);
    }
    this.claiming = undefined;
    this.wakeAt(Date.now() + this.pollMs);
  }

  /** @returns whether there may be more */
  private async claimSome(): Promise<boolean> {
    this.startAll();
    const room = this.lanes.room();
    if (room.limit === 0) return false;
    const now = Date.now();
    const claimId = randomUUID();
    const claimed = await this.outbox.claim({ ...room, id: claimId, now, leaseMs });
    for (const delivery of claimed) this.lanes.add({ ...delivery, claimId }, now + leaseMs - longestTryMs);
    this.startAll();
    return claimed.length > 0;
  }

  /** Some at a time, so that no claim waits for long. @returns whether there may be more to bury */
  private async buryBeyond(): Promise<boolean> {
    const now = performance.now();
    this.overflow.tell();
    if (this.maxWaiting === Infinity || this.phase !== 'running' || now - this.lookedAt < depthMs) return false;
    const death = { diedAt: Date.now(), reason: 'the queue was full' };
    const buried = await this.outbox.buryBeyond(this.maxWaiting, death, this.deadLetters);
    this.lookedAt = buried > 0 ? -Infinity : now;
    if (buried === 0) return false;
    this.overflow.count('given up, the earliest of the longest queues', buried);
    this.onGivenUp(buried);
    return true;
  }

  private startAll(): void {
    for (const delivery of this.lanes.start(Date.now())) {
      const underWay = this.try(delivery).finally(() => {
        this.tries.delete(underWay);
        this.wake();
      });
      this.tries.add(underWay);
    }
  }

  private async try(delivery: ClaimedWebhook): Promise<void> {
    const startedAt = performance.now();
    const result = await this.post(delivery, Date.now());
    this.lanes.finish(delivery, result.outcome === 'accepted', performance.now() - startedAt);
    try {
      if (result.outcome === 'accepted') await this.outbox.done(delivery.id, delivery.claimId);
      else await this.tryLater(delivery, result);
    } catch (error) {
      this.logger.error(`The outcome of webhook ${delivery.id} cannot be kept; it will be sent again`, error);
    }
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

  private async tryLater(delivery: ClaimedWebhook, { outcome, reason }: TryFailure): Promise<void> {
    const { id, claimId, owner, url, expiresAt, retryDelaysMs } = delivery;
    // A try that the shutdown cut short does not count.
    if (this.phase === 'stopped') return this.giveBack(delivery);
    const [delayMs = Infinity, ...left] = retryDelaysMs;
    const dueAt = Date.now() + delayMs;
    if (outcome === 'refused' || dueAt > expiresAt) {
      this.logger.warn(`Gave up webhook ${id} of ${owner} to ${loggedUrl(url)}: ${reason}`);
      this.onGivenUp(1);
      return this.outbox.bury(id, claimId, { diedAt: Date.now(), reason }, this.deadLetters);
    }
    await this.outbox.retry(id, claimId, dueAt, left);
    this.wakeAt(dueAt);
  }

  private async giveBack({ id, claimId, dueAt, retryDelaysMs }: ClaimedWebhook): Promise<void> {
    await this.outbox.retry(id, claimId, dueAt, retryDelaysMs);
  }

  /** One timer, for the earliest of all. Waiting alone keeps no process alive. */
  private wakeAt(time: number): void {
    if (this.phase !== 'running' || time >= this.wakesAt) return;
    clearTimeout(this.timer);
    this.wakesAt = time;
    this.timer = setTimeout(() => this.onTimer(), time - Date.now()).unref();
  }

  private onTimer(): void {
    this.wakesAt = Infinity;
    this.wake();
  }
}
