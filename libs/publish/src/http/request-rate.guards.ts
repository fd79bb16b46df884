import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common';
import { requestIn, RequestRates } from 'rookery/common';
import { currentInstance } from 'rookery/push-device';
import { tooManyRequests } from './errors.js';

/** How many requests an instance may make in a second, unless it says so itself (api § Limits). */
const requestsPerSecond = 100;

const retryAfter = Symbol('rookery.retryAfter');

type Counted = ReturnType<typeof requestIn> & { [retryAfter]?: number };

/**
 * Counts the request for the rate of its instance, also when a later check refuses it. Publishes and deletions of users
 * count together (beams-wire §3.3).
 */
@Injectable()
export class RequestCountGuard implements CanActivate {
  constructor(private readonly rates: RequestRates) {}

  async canActivate(context: ExecutionContext): Promise<boolean> {
    const request: Counted = requestIn(context);
    const { id, publishesPerSecond: perSecond = requestsPerSecond } = currentInstance(context);
    const limit = { name: `publishes of ${id}`, perSecond, atOnce: perSecond };
    request[retryAfter] = await this.rates.take([limit]);
    return true;
  }
}

/** Refuses a request that was counted as one too many (api § Limits): the last check of all (beams-wire §12.6). */
@Injectable()
export class RequestRateGuard implements CanActivate {
  canActivate(context: ExecutionContext): boolean {
    const { [retryAfter]: seconds = 0 }: Counted = requestIn(context);
    const { publishesPerSecond = requestsPerSecond } = currentInstance(context);
    if (seconds > 0) throw tooManyRequests(seconds, publishesPerSecond);
    return true;
  }
}
