import { type RequestLimit, RequestRates } from 'rookery/common';
import type { Far, Link } from './link.js';

/** How often requests come to the workers of a machine together, counted by the process that started them. */
export class RelayedRequestRates extends RequestRates {
  private readonly far: Far<RequestRates>;

  constructor(link: Link) {
    super();
    this.far = link.far('requestRates');
  }

  take(limits: readonly RequestLimit[]): Promise<number> {
    return this.far.take(limits);
  }

  giveBack(limits: readonly RequestLimit[]): Promise<void> {
    return this.far.giveBack(limits);
  }
}
