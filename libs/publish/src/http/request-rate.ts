import type { FactoryProvider } from '@nestjs/common';
import { RequestRate } from 'rookery/common';
import { type Clock, publishClock } from '../publish.options.js';

/** How many requests an instance may make in a second; as many may come at once (api § Limits). */
export const requestsPerSecond = 100;

/** One for the process: publishes and deletions of users count together (beams-wire §3.3). */
export const requestRateProvider: FactoryProvider<RequestRate> = {
  provide: RequestRate,
  useFactory: (now: Clock) => new RequestRate(now, requestsPerSecond),
  inject: [publishClock],
};
