import { Injectable } from '@nestjs/common';
import { type Awaitable, clientNetwork, type RequestLimit, RequestRates } from 'rookery/common';
import { PushDeviceSettings } from '../push-device.options.js';

/** So many seconds' worth may come at once. */
const burstSeconds = 10;

const limitOf = (name: string, perSecond: number): RequestLimit => ({
  name: `registrations ${name}`,
  perSecond,
  atOnce: burstSeconds * perSecond,
});

/** How fast devices may register: registration is open to everybody, and each is a row and a push to come. */
@Injectable()
export class RegistrationRate {
  constructor(
    private readonly rates: RequestRates,
    private readonly settings: PushDeviceSettings,
  ) {}

  /** Counts a registration. Answers 0 when it is within the rates, else the whole seconds after which to come back. */
  take(instanceId: string, ip: string): Awaitable<number> {
    const { address, instance } = this.settings.registrationsPerSecond;
    const network = clientNetwork(ip);
    const limits = [limitOf(`of ${instanceId}`, instance)];
    // Whoever is too fast does not use up what others may have.
    if (network !== undefined) limits.unshift(limitOf(`from ${network}`, address));
    return this.rates.take(limits);
  }
}
