import { Injectable } from '@nestjs/common';
import { Counter, Histogram } from 'prom-client';
import { ChannelsMetrics } from '../../metrics.js';

const outcomes = ['answered', 'refused', 'failed', 'timeout', 'limited'] as const;

/** How a request ended: with a reply, an error of the client's (4xx), one of the server's, without a reply in time, or above a budget. */
export type RequestOutcome = (typeof outcomes)[number];

/** Counts requests, beside the metrics of ChannelsModule. */
@Injectable()
export class RequestMetrics {
  private readonly requests: Counter<'outcome'>;
  private readonly seconds: Histogram;

  constructor({ registry }: ChannelsMetrics) {
    this.requests = new Counter({
      name: 'rookery_channels_requests_total',
      help: 'Requests of clients, by outcome: answered, refused, failed, timeout or limited',
      labelNames: ['outcome'],
      registers: [registry],
    });
    this.seconds = new Histogram({
      name: 'rookery_channels_request_seconds',
      help: 'How long the replies to requests of clients took',
      buckets: [0.001, 0.005, 0.01, 0.05, 0.1, 0.5, 1, 5, 10, 30],
      registers: [registry],
    });
    for (const outcome of outcomes) this.requests.inc({ outcome }, 0);
  }

  ended(outcome: RequestOutcome, ms: number): void {
    this.requests.inc({ outcome });
    if (outcome !== 'limited') this.seconds.observe(ms / 1000);
  }
}
