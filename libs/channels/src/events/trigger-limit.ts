import { Injectable } from '@nestjs/common';
import { RequestRates } from '#common';
import type { App } from '../app/app.js';
import { limitsOf } from '../app/app-limits.js';
import { tooManyTriggers } from '../channels.errors.js';
import { ChannelsSettings } from '../channels.options.js';

/** Refuses events beyond an app's trigger rate. */
@Injectable()
export class TriggerLimit {
  constructor(
    private readonly rates: RequestRates,
    private readonly settings: ChannelsSettings,
  ) {}

  /** Counts events that are about to be triggered. @throws ChannelsApiError 429 when the rate is exceeded */
  take(app: App, count: number): void | Promise<void> {
    const { triggersPerSecond: limit } = limitsOf(app, this.settings.limits);
    if (limit === Infinity) return;
    if (limit === 0) throw tooManyTriggers(limit);
    const seconds = this.rates.take([{ name: `triggers of ${app.id}`, perSecond: limit, atOnce: limit, count }]);
    if (seconds instanceof Promise) return seconds.then((late) => assertTaken(late, limit));
    assertTaken(seconds, limit);
  }
}

function assertTaken(seconds: number, limit: number): void {
  if (seconds > 0) throw tooManyTriggers(limit);
}
