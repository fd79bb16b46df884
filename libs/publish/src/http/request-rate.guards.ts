import { type CanActivate, type ExecutionContext, Inject, Injectable } from '@nestjs/common';
import { requestIn } from 'rookery/common';
import { currentInstance } from 'rookery/push-device';
import { type Clock, publishClock } from '../publish.options.js';
import { PublishRate, requestsPerSecond } from '../rate/publish.rate.js';
import { tooManyRequests } from './errors.js';

const retryAfter = Symbol('rookery.retryAfter');

type Counted = ReturnType<typeof requestIn> & { [retryAfter]?: number };

/** Counts the request for the rate of its instance, also when a later check refuses it. */
@Injectable()
export class RequestCountGuard implements CanActivate {
  constructor(
    private readonly rate: PublishRate,
    @Inject(publishClock) private readonly now: Clock,
  ) {}

  async canActivate(context: ExecutionContext): Promise<boolean> {
    const request: Counted = requestIn(context);
    const { id, publishesPerSecond = requestsPerSecond } = currentInstance(context);
    request[retryAfter] = await this.rate.take(id, publishesPerSecond, this.now());
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
