import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common';
import { RequestRates } from '#common';
import { requestIn } from '#http';
import { currentInstance } from 'rookery/internal/push-device';
import { tooManyRequests } from '../publish.errors.js';

/** The default rate limit of an instance, in requests per second (api § Limits). */
const requestsPerSecond = 100;

const retryAfter = Symbol('rookery.retryAfter');

type Counted = ReturnType<typeof requestIn> & { [retryAfter]?: number };

/**
 * Counts the request against its instance's rate, even if a later check refuses it. Publishes and user deletions share
 * one count (beams-wire §3.3).
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

/** Refuses a request above the rate (api § Limits): the last of all checks (beams-wire §12.6). */
@Injectable()
export class RequestRateGuard implements CanActivate {
  canActivate(context: ExecutionContext): boolean {
    const { [retryAfter]: seconds = 0 }: Counted = requestIn(context);
    const { publishesPerSecond = requestsPerSecond } = currentInstance(context);
    if (seconds > 0) throw tooManyRequests(seconds, publishesPerSecond);
    return true;
  }
}
