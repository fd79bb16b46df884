import { Injectable } from '@nestjs/common';
import { Counter, Registry } from 'prom-client';
import type { Platform } from 'rookery/push-device';
import type { PageOutcome } from './fan-out/page-outcome.js';

/** The reasons are the gateways' own words: so many become labels in this process, whatever they say. */
const maxReasons = 100;

/** What a PublishModule counts, for Prometheus: register it with the host's own or serve `registry.metrics()`. */
@Injectable()
export class PublishMetrics {
  readonly registry = new Registry();
  readonly publishes = new Counter({
    name: 'rookery_publish_publishes_total',
    help: 'Publishes accepted, by what they are for: interests or users',
    labelNames: ['to'],
    registers: [this.registry],
  });
  readonly sent = new Counter({
    name: 'rookery_publish_sent_total',
    help: 'Notifications that a gateway accepted',
    labelNames: ['platform'],
    registers: [this.registry],
  });
  readonly failed = new Counter({
    name: 'rookery_publish_failed_total',
    help: 'Notifications that will not be sent, by reason',
    labelNames: ['platform', 'reason'],
    registers: [this.registry],
  });
  readonly putOff = new Counter({
    name: 'rookery_publish_put_off_total',
    help: 'Tries that a gateway put off, to be made again later',
    labelNames: ['platform'],
    registers: [this.registry],
  });
  readonly removedDevices = new Counter({
    name: 'rookery_publish_removed_devices_total',
    help: 'Devices removed since their token is gone',
    labelNames: ['platform'],
    registers: [this.registry],
  });
  readonly webhookTries = new Counter({
    name: 'rookery_publish_webhook_tries_total',
    help: 'Tries to deliver a webhook, by outcome: accepted, failed or refused',
    labelNames: ['outcome'],
    registers: [this.registry],
  });
  private readonly reasons = new Set<string>();

  /** @param putOff - how many devices of the page will be tried again */
  page(platform: Platform, { sent, failed }: PageOutcome, putOff: number): void {
    this.sent.inc({ platform }, sent.length);
    this.putOff.inc({ platform }, putOff);
    const counts = new Map<string, number>();
    for (const { reason } of failed) counts.set(reason, (counts.get(reason) ?? 0) + 1);
    for (const [reason, count] of counts) this.failed.inc({ platform, reason: this.label(reason) }, count);
  }

  private label(reason: string): string {
    if (this.reasons.size < maxReasons) this.reasons.add(reason);
    return this.reasons.has(reason) ? reason : 'other';
  }
}
