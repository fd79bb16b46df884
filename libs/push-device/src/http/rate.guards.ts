import { type CanActivate, type ExecutionContext, Injectable, type Type } from '@nestjs/common';
import type { Awaitable } from '#common';
import { clientAddress, rawBodyOf, requestIn } from '#http';
import { currentInstance } from '../instances/instance.guard.js';
import { refusals } from '../push-device.errors.js';
import { devicePathIn } from './device-path.js';
import { DeviceRates } from './device-rates.js';

/**
 * A guard that refuses requests which come too fast.
 * @param take counts the request; answers 0, or the seconds after which to retry
 */
export function rateGuard(
  take: (rates: DeviceRates, context: ExecutionContext) => Awaitable<number>,
  refusal: (retryAfterSeconds: number) => Error,
): Type<CanActivate> {
  @Injectable()
  class RateGuard implements CanActivate {
    constructor(private readonly rates: DeviceRates) {}

    async canActivate(context: ExecutionContext): Promise<boolean> {
      const seconds = await take(this.rates, context);
      if (seconds > 0) throw refusal(seconds);
      return true;
    }
  }
  return RateGuard;
}

/** Refuses registrations that come too fast from one address, before their bodies are parsed. */
export const ClientRateGuard = rateGuard(
  (rates, context) => rates.registersFrom(clientAddress(requestIn(context))),
  refusals.tooManyRegistrations,
);

/** Refuses registrations that come too fast for one instance: the last check of all. */
export const RegistrationRateGuard = rateGuard(
  (rates, context) => rates.registers(currentInstance(context).id),
  refusals.tooManyRegistrations,
);

/** Refuses changes of devices that come too fast: of one device, from one address or for one instance. */
export const WriteRateGuard = rateGuard((rates, context) => {
  const request = requestIn(context);
  return rates.changes(devicePathIn(context), clientAddress(request), rawBodyOf(request).length);
}, refusals.tooManyWrites);
