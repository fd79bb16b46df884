import type { Logger } from '@nestjs/common';
import { dropOldest, loggedUrl } from '#common';
import type { WebhookDelivery } from './webhook-delivery.js';

/** An endpoint that fails now and then is logged at most this often, in milliseconds. */
const quietMs = 600_000;

const maxEndpoints = 10_000;

interface Failing {
  readonly loggedAt: number;
  /** Whether it has not accepted a webhook since. */
  fails: boolean;
}

/**
 * Logs an endpoint when its first webhook fails, and not again while it fails: a webhook that is tried for minutes, or a
 * day, is given up too late to be the first sign.
 */
export class FailingEndpoints {
  private readonly known = new Map<string, Failing>();

  constructor(private readonly logger: Logger) {}

  failed(delivery: WebhookDelivery, reason: string): void {
    const known = this.known.get(delivery.endpoint);
    const now = Date.now();
    if (known && (known.fails || now - known.loggedAt < quietMs)) return;
    this.known.delete(delivery.endpoint);
    this.known.set(delivery.endpoint, { loggedAt: now, fails: true });
    dropOldest(this.known, maxEndpoints);
    this.logger.warn(`${named(delivery)} fail and are tried again: ${reason.split('\n', 1)[0]}`);
  }

  accepted(delivery: WebhookDelivery): void {
    const known = this.known.get(delivery.endpoint);
    if (!known?.fails) return;
    known.fails = false;
    this.logger.log(`${named(delivery)} are accepted again`);
  }
}

const named = ({ owner, url }: WebhookDelivery): string => `Webhooks of ${owner} to ${loggedUrl(url)}`;
