import { Injectable } from '@nestjs/common';
import { RequestRate } from 'rookery/common';
import { PublishRate } from './publish.rate.js';

/** In memory: each process counts for itself. */
@Injectable()
export class MemoryPublishRate extends PublishRate {
  /** By how many requests a second they allow. */
  private readonly rates = new Map<number, RequestRate>();
  private now = 0;

  take(instanceId: string, perSecond: number, now: number): number {
    this.now = now;
    const rate = this.rates.get(perSecond) ?? new RequestRate(() => this.now, perSecond);
    this.rates.set(perSecond, rate);
    return rate.take(instanceId);
  }
}
