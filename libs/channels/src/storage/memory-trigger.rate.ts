import { Injectable } from '@nestjs/common';
import { SlidingSecond } from '../sliding-second.js';
import { TriggerRate } from './trigger.rate.js';

/** In memory: each process counts for itself. */
@Injectable()
export class MemoryTriggerRate extends TriggerRate {
  private readonly apps = new Map<string, SlidingSecond>();

  take(appId: string, limit: number, events: number): boolean {
    let second = this.apps.get(appId);
    if (second?.limit !== limit) this.apps.set(appId, (second = new SlidingSecond(limit)));
    return second.take(events);
  }
}
