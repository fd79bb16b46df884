import { Injectable } from '@nestjs/common';
import { Counter, Histogram } from 'prom-client';
import type { Connection } from '../../connections/connection.js';
import { ActivityTap } from '../../lifecycle/activity-tap.js';
import { ChannelsMetrics } from '../../metrics.js';
import { userOf } from './host-request.js';
import type { Settled } from './request-error.js';
import type { RequestMessage } from './request.message.js';

const outcomes = ['answered', 'refused', 'failed', 'timeout', 'limited'] as const;

/** How a request ended: with a reply, an error of the client's (4xx), one of the server's, without a reply in time, or above a budget. */
type Outcome = (typeof outcomes)[number];

/** Records how requests end: as metrics, and for the console. */
@Injectable()
export class RequestRecords {
  private readonly requests: Counter<'outcome'>;
  private readonly seconds: Histogram;

  constructor(
    { registry }: ChannelsMetrics,
    private readonly tap: ActivityTap,
  ) {
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

  /** @param ms until its reply; absent for one above a budget */
  ended(connection: Connection, { channel, name }: RequestMessage, settled: Settled, ms?: number): void {
    this.requests.inc({ outcome: ms === undefined ? 'limited' : outcomeOf(settled) });
    if (ms !== undefined) this.seconds.observe(ms / 1000);
    const { app, socketId } = connection;
    this.tap.observer?.observed({
      appId: app.id,
      kind: 'request',
      channel,
      socketId,
      userId: userOf(connection, channel)?.id,
      name,
      ...(ms !== undefined && { ms: Math.ceil(ms) }),
      ...('status' in settled && { code: settled.status, message: settled.message }),
    });
  }
}

function outcomeOf(settled: Settled): Outcome {
  if ('json' in settled) return 'answered';
  if (settled.status === 504) return 'timeout';
  return settled.status < 500 ? 'refused' : 'failed';
}
