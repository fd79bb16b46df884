import type { Logger } from '@nestjs/common';
import { dropOldest, loggedUrl } from '#common';
import type { WebhookDelivery } from './webhook-delivery.js';

/** An endpoint that fails now and then is logged at most this often, in milliseconds. */
const quietMs = 600_000;

/** Webhooks that are given up within this time after the first one are logged together, in milliseconds. */
const foldMs = 60_000;

const maxEndpoints = 10_000;

interface Failing {
  readonly loggedAt: number;
  /** Whether it has not accepted a webhook since. */
  fails: boolean;
}

/** Webhooks to one endpoint that were given up since the last line about it. */
interface GivenUp {
  count: number;
  latest: WebhookDelivery;
  reason: string;
}

/**
 * Logs an endpoint when its first webhook fails, and not again while it fails: a webhook that is tried for minutes, or a
 * day, is given up too late to be the first sign. Of those that it gives up, it logs the first, then their number.
 */
export class FailingEndpoints {
  private readonly known = new Map<string, Failing>();

  private readonly givenUp = new Map<string, GivenUp>();
  private folding: NodeJS.Timeout | undefined;

  constructor(private readonly logger: Logger) {}

  failed(delivery: WebhookDelivery, reason: string): void {
    const known = this.known.get(delivery.endpoint);
    const now = Date.now();
    if (known && (known.fails || now - known.loggedAt < quietMs)) return;
    this.known.delete(delivery.endpoint);
    this.known.set(delivery.endpoint, { loggedAt: now, fails: true });
    dropOldest(this.known, maxEndpoints);
    this.logger.warn(`${named(delivery)} fail and are tried again: ${firstLine(reason)}`);
  }

  gaveUp(delivery: WebhookDelivery, reason: string): void {
    const folded = this.givenUp.get(delivery.endpoint);
    if (folded) {
      folded.count += 1;
      folded.latest = delivery;
      folded.reason = reason;
      return;
    }
    this.givenUp.set(delivery.endpoint, { count: 0, latest: delivery, reason });
    dropOldest(this.givenUp, maxEndpoints);
    this.folding ??= setInterval(() => this.unfold(), foldMs).unref();
    const { id, owner, url } = delivery;
    this.logger.warn(`Gave up webhook ${id} of ${owner} to ${loggedUrl(url)}: ${firstLine(reason)}`);
  }

  /** Logs what was held back; an endpoint with nothing new begins anew. */
  unfold(): void {
    for (const [endpoint, givenUp] of this.givenUp) {
      const { count, latest, reason } = givenUp;
      if (count === 0) {
        this.givenUp.delete(endpoint);
        continue;
      }
      const { owner, url } = latest;
      const many = count === 1 ? 'another webhook' : `${count} other webhooks`;
      this.logger.warn(
        `Gave up ${many} of ${owner} to ${loggedUrl(url)} within a minute; the last: ${firstLine(reason)}`,
      );
      givenUp.count = 0;
    }
    if (this.givenUp.size > 0) return;
    clearInterval(this.folding);
    this.folding = undefined;
  }

  /** The process ends. */
  close(): void {
    this.unfold();
    clearInterval(this.folding);
  }

  accepted(delivery: WebhookDelivery): void {
    const known = this.known.get(delivery.endpoint);
    if (!known?.fails) return;
    known.fails = false;
    this.logger.log(`${named(delivery)} are accepted again`);
  }
}

const firstLine = (text: string): string => text.split('\n', 1)[0]!;

const named = ({ owner, url }: WebhookDelivery): string => `Webhooks of ${owner} to ${loggedUrl(url)}`;
