import type { Logger } from '@nestjs/common';
import { DropReport } from 'rookery/internal/jobs';
import { keyOf, type WebhookDelivery, weightOfDelivery } from './webhook-delivery.js';
import type { WebhookSender } from './webhook-sender.js';

/** The limit for webhooks that wait for a slow or failing outbox, and what is freed at a time when it is reached. */
const maxBytes = 64 * 1024 * 1024;
const freedBytes = maxBytes / 16;

const maxAtOnce = 1000;
const firstPauseMs = 100;
const longestPauseMs = 5000;

/**
 * Passes webhooks to the sender, in order, for callers that cannot wait. It keeps webhooks that the outbox refuses and
 * tries them again until they expire. Only one `send` runs at a time; webhooks that arrive meanwhile share the next
 * one. When it is full, it drops the latest webhooks of the lane that has the most.
 */
export class WebhookBuffer {
  private waiting: WebhookDelivery[] = [];
  private bytes = 0;
  /** The same by endpoint and lane. */
  private readonly bytesByKey = new Map<string, number>();
  /** The key with the most bytes; undefined when that may have changed. */
  private busiest: string | undefined;
  private most = maxAtOnce;
  /** 0 while the outbox accepts webhooks. */
  private pauseMs = 0;
  private storing: Promise<void> | undefined;
  private isClosed = false;
  private endPause = (): void => {};
  private readonly drops: DropReport;
  /** To be called when the webhook is stored or lost. */
  private readonly awaited = new Map<WebhookDelivery, () => void>();

  constructor(
    private readonly sender: Pick<WebhookSender, 'send' | 'lost'>,
    private readonly logger: Logger,
  ) {
    this.drops = new DropReport(logger, 'webhooks');
  }

  /**
   * Never throws and never waits.
   * @param settled called when the outbox has taken all of them, or they are lost
   */
  add(deliveries: readonly WebhookDelivery[], settled?: () => void): void {
    let left = 0;
    const isSettled = (): void => {
      left -= 1;
      if (left === 0) settled?.();
    };
    for (const delivery of deliveries) {
      if (this.bytes >= maxBytes) this.makeRoom(keyOf(delivery));
      if (this.bytes < maxBytes) {
        left += 1;
        if (settled) this.awaited.set(delivery, isSettled);
        this.keep(delivery);
      } else this.drop([delivery]);
    }
    if (left === 0) settled?.();
    this.storing ??= this.store();
  }

  /** Resolves when none waits. */
  async stored(): Promise<void> {
    await this.storing;
  }

  /** Tries the refused webhooks once more; those that the outbox refuses from now on are lost. */
  close(): void {
    this.isClosed = true;
    this.endPause();
  }

  private keep(delivery: WebhookDelivery): void {
    this.waiting.push(delivery);
    this.count(delivery, weightOfDelivery(delivery));
  }

  private count(delivery: WebhookDelivery, bytes: number): void {
    const key = keyOf(delivery);
    const ofKey = (this.bytesByKey.get(key) ?? 0) + bytes;
    if (ofKey > 0) this.bytesByKey.set(key, ofKey);
    else this.bytesByKey.delete(key);
    this.bytes += bytes;
  }

  /** Drops the latest webhooks of the busiest key; none if that is the given one, whose next one is to be dropped. */
  private makeRoom(key: string): void {
    this.busiest ??= [...this.bytesByKey].reduce((most, each) => (each[1] > most[1] ? each : most))[0];
    if (this.busiest === key) return;
    const dropped = new Set<WebhookDelivery>();
    let freed = 0;
    for (let i = this.waiting.length - 1; i >= 0 && freed < freedBytes; i -= 1) {
      const delivery = this.waiting[i]!;
      if (keyOf(delivery) !== this.busiest) continue;
      dropped.add(delivery);
      freed += weightOfDelivery(delivery);
    }
    this.waiting = this.waiting.filter((delivery) => !dropped.has(delivery));
    this.forget([...dropped]);
    this.drop([...dropped]);
  }

  private drop(deliveries: readonly WebhookDelivery[]): void {
    const last = deliveries.at(-1);
    if (!last) return;
    this.drops.count(`dropped, last one of ${last.owner}: the outbox is slow or accepts none`, deliveries.length);
    this.sender.lost(deliveries.length);
  }

  private async store(): Promise<void> {
    // Batches the webhooks of this turn of the event loop.
    await Promise.resolve();
    while (this.waiting.length > 0) await this.sendSome();
    this.storing = undefined;
  }

  private async sendSome(): Promise<void> {
    const some = this.waiting.splice(0, this.isClosed ? Infinity : this.most);
    try {
      await this.sender.send(some);
      this.taken(some);
    } catch (error) {
      this.refused(some, error);
      if (!this.isClosed) await this.pause();
    }
  }

  private taken(deliveries: readonly WebhookDelivery[]): void {
    this.forget(deliveries);
    this.drops.log();
    this.most = Math.min(2 * this.most, maxAtOnce);
    if (this.pauseMs > 0) this.logger.log('The outbox accepts webhooks again');
    this.pauseMs = 0;
  }

  private refused(deliveries: readonly WebhookDelivery[], error: unknown): void {
    const now = Date.now();
    const isLost = ({ expiresAt }: WebhookDelivery): boolean => this.isClosed || expiresAt < now;
    const left = deliveries.filter((delivery) => !isLost(delivery));
    this.lose(deliveries.filter(isLost), error);
    if (left.length > 0 && this.pauseMs === 0)
      this.logger.error('The outbox refuses webhooks: they are kept and tried again until they expire', error);
    this.waiting = [...left, ...this.waiting];
    this.drops.log();
    // A webhook that the outbox always refuses must not delay other endpoints: batches shrink until it is found, then
    // it moves behind them.
    if (deliveries.length === 1) this.letOthersPass(deliveries[0]!.endpoint);
    this.most = Math.max(1, Math.floor(deliveries.length / 2));
    this.pauseMs = Math.min(2 * this.pauseMs || firstPauseMs, longestPauseMs);
  }

  private lose(deliveries: readonly WebhookDelivery[], error: unknown): void {
    if (deliveries.length === 0) return;
    this.forget(deliveries);
    this.sender.lost(deliveries.length);
    const owners = [...new Set(deliveries.map(({ owner }) => owner))].join(', ');
    this.logger.error(
      `${deliveries.length} webhooks of ${owners} are lost: the outbox did not take them in time`,
      error,
    );
  }

  private forget(deliveries: readonly WebhookDelivery[]): void {
    this.busiest = undefined;
    for (const delivery of deliveries) {
      this.count(delivery, -weightOfDelivery(delivery));
      if (this.awaited.size === 0) continue;
      this.awaited.get(delivery)?.();
      this.awaited.delete(delivery);
    }
  }

  private letOthersPass(endpoint: string): void {
    const isBehind = (delivery: WebhookDelivery): boolean => delivery.endpoint === endpoint;
    this.waiting = [...this.waiting.filter((each) => !isBehind(each)), ...this.waiting.filter(isBehind)];
  }

  /** The timer is unreferenced: waiting alone must not keep the process alive. */
  private pause(): Promise<void> {
    return new Promise((resolve) => {
      this.endPause = resolve;
      setTimeout(resolve, this.pauseMs).unref();
    });
  }
}
