import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common';
import { currentInstance } from '../instances/instance.guard.js';
import { refusals } from '../push-device.errors.js';
import { DeviceRates } from './device-rates.js';

/** Refuses registrations that come too fast for one instance: the last check of all. */
@Injectable()
export class RegistrationRateGuard implements CanActivate {
  constructor(private readonly rates: DeviceRates) {}

  async canActivate(context: ExecutionContext): Promise<boolean> {
    const seconds = await this.rates.registers(currentInstance(context).id);
    if (seconds > 0) throw refusals.tooManyRegistrations(seconds);
    return true;
  }
}
