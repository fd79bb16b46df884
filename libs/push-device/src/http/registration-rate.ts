import { Injectable } from '@nestjs/common';
import { clientNetwork, RequestRate } from 'rookery/common';
import { PushDeviceSettings } from '../push-device.options.js';

/** So many seconds' worth may come at once. */
const burstSeconds = 10;

/** How fast devices may register: registration is open to everybody, and each is a row and a push to come. */
@Injectable()
export class RegistrationRate {
  private readonly byAddress: RequestRate;
  private readonly byInstance: RequestRate;

  constructor({ registrationsPerSecond: { address, instance } }: PushDeviceSettings) {
    const rate = (perSecond: number) => new RequestRate(Date.now, perSecond, burstSeconds * perSecond);
    this.byAddress = rate(address);
    this.byInstance = rate(instance);
  }

  /** Counts a registration. Answers 0 when it is within the rates, else the whole seconds after which to come back. */
  take(instanceId: string, address: string): number {
    const network = clientNetwork(address);
    // Whoever is too fast does not use up what others may have.
    return (network === undefined ? 0 : this.byAddress.take(network)) || this.byInstance.take(instanceId);
  }
}
