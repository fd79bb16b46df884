import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common';
import { currentInstance } from '../instances/instance.guard.js';
import { refusals } from '../push-device.errors.js';
import { RegistrationRate } from './registration-rate.js';

/** Refuses registrations that come too fast, from one address or for one instance: the last check of all. */
@Injectable()
export class RegistrationRateGuard implements CanActivate {
  constructor(private readonly rate: RegistrationRate) {}

  async canActivate(context: ExecutionContext): Promise<boolean> {
    const { ip = '' } = context.switchToHttp().getRequest<{ readonly ip?: string }>();
    const seconds = await this.rate.take(currentInstance(context).id, ip);
    if (seconds > 0) throw refusals.tooManyRegistrations(seconds);
    return true;
  }
}
