import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common';
import { clientAddress, rawBodyOf, requestIn } from '#http';
import { refusals } from '../push-device.errors.js';
import { devicePathIn } from './device-path.js';
import { DeviceRates } from './device-rates.js';

/** Refuses changes of devices that come too fast: of one device, from one address or for one instance. */
@Injectable()
export class WriteRateGuard implements CanActivate {
  constructor(private readonly rates: DeviceRates) {}

  async canActivate(context: ExecutionContext): Promise<boolean> {
    const request = requestIn(context);
    const { length } = rawBodyOf(request);
    const seconds = await this.rates.changes(devicePathIn(context), clientAddress(request), length);
    if (seconds > 0) throw refusals.tooManyWrites(seconds);
    return true;
  }
}
