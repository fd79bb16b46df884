import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common';
import { requestIn, RequestRate } from 'rookery/common';
import { currentInstance } from 'rookery/push-device';
import { tooManyRequests } from './errors.js';

const retryAfter = Symbol('rookery.retryAfter');

type Counted = ReturnType<typeof requestIn> & { [retryAfter]?: number };

/** Counts the request for the rate of its instance, also when a later check refuses it. */
@Injectable()
export class RequestCountGuard implements CanActivate {
  constructor(private readonly rate: RequestRate) {}

  canActivate(context: ExecutionContext): boolean {
    const request: Counted = requestIn(context);
    request[retryAfter] = this.rate.take(currentInstance(context).id);
    return true;
  }
}

/** Refuses a request that was counted as one too many (api § Limits): the last check of all (beams-wire §12.6). */
@Injectable()
export class RequestRateGuard implements CanActivate {
  canActivate(context: ExecutionContext): boolean {
    const { [retryAfter]: seconds = 0 }: Counted = requestIn(context);
    if (seconds > 0) throw tooManyRequests(seconds);
    return true;
  }
}
