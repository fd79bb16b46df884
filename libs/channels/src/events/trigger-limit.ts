import { Injectable } from '@nestjs/common';
import type { App } from '../access/app.js';
import { limitsOf } from '../access/app-limits.js';
import { tooManyTriggers } from '../channels.errors.js';
import { ChannelsSettings } from '../channels.options.js';
import { TriggerRate } from '../storage/trigger.rate.js';

/** Refuses events beyond an app's trigger rate. */
@Injectable()
export class TriggerLimit {
  constructor(
    private readonly rate: TriggerRate,
    private readonly settings: ChannelsSettings,
  ) {}

  /** Counts events that are about to be triggered. @throws ChannelsApiError 429 when the rate is exceeded */
  take(app: App, events: number): void | Promise<void> {
    const { triggersPerSecond: limit } = limitsOf(app, this.settings.limits);
    if (limit === Infinity) return;
    const isTaken = this.rate.take(app.id, limit, events);
    if (isTaken instanceof Promise) return isTaken.then((taken) => assertTaken(taken, limit));
    assertTaken(isTaken, limit);
  }
}

function assertTaken(isTaken: boolean, limit: number): void {
  if (!isTaken) throw tooManyTriggers(limit);
}
