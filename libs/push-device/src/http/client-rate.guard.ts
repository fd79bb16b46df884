import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common';
import { clientAddress, requestIn } from '#http';
import { refusals } from '../push-device.errors.js';
import { DeviceRates } from './device-rates.js';

/** Refuses registrations that come too fast from one address, before their bodies are parsed. */
@Injectable()
export class ClientRateGuard implements CanActivate {
  constructor(private readonly rates: DeviceRates) {}

  async canActivate(context: ExecutionContext): Promise<boolean> {
    const seconds = await this.rates.registersFrom(clientAddress(requestIn(context)));
    if (seconds > 0) throw refusals.tooManyRegistrations(seconds);
    return true;
  }
}
