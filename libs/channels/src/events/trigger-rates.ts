import { Injectable } from '@nestjs/common';
import type { App } from '../access/app.js';
import { limitsOf } from '../access/app-limits.js';
import { tooManyTriggers } from '../channels.errors.js';
import { ChannelsSettings } from '../channels.options.js';
import { SlidingSecond } from '../sliding-second.js';

/** How many events each app triggers in a second, in this process. */
@Injectable()
export class TriggerRates {
  private readonly apps = new Map<string, SlidingSecond>();

  constructor(private readonly settings: ChannelsSettings) {}

  /** Counts events that are about to be triggered. @throws ChannelsApiError 429 when they are too many */
  take(app: App, events: number): void {
    const { triggersPerSecond: limit } = limitsOf(app, this.settings.limits);
    if (limit === Infinity) return;
    let rate = this.apps.get(app.id);
    if (rate?.limit !== limit) this.apps.set(app.id, (rate = new SlidingSecond(limit)));
    if (!rate.take(events)) throw tooManyTriggers(limit);
  }
}
