import { Injectable } from '@nestjs/common';
import { type Awaitable, RequestRates } from '#common';

/** Work that at most one process does in a period: whichever comes first. */
@Injectable()
export class Throttle {
  constructor(private readonly rates: RequestRates) {}

  /** Whether the caller is the one to do it. */
  isFirst(what: string, everyMs: number): Awaitable<boolean> {
    // A caller with a timer of its own may be a little early.
    const limit = { name: what, perSecond: 1000 / Math.max(1, 0.9 * everyMs), atOnce: 1 };
    const seconds = this.rates.take([limit]);
    return seconds instanceof Promise ? seconds.then((late) => late === 0) : seconds === 0;
  }
}
