import { Injectable } from '@nestjs/common';
import { type Awaitable, type RequestLimit, RequestRates } from '#common';
import { networkLimits } from '#http';
import type { DevicePath } from '../devices.service.js';
import { PushDeviceSettings } from '../push-device.options.js';

/** The largest burst, in seconds' worth of requests. */
const burstSeconds = 10;

/** A longer body counts as several writes, such as that of a large set of interests. */
const bytesOfWrite = 16_384;

const limitOf = (name: string, perSecond: number): RequestLimit => ({
  name,
  perSecond,
  atOnce: burstSeconds * perSecond,
});

const limitsFrom = (kind: string, ip: string, perSecond: number): RequestLimit[] =>
  networkLimits(`${kind} from`, ip, perSecond, burstSeconds * perSecond);

/** Limits registrations and changes: the device API is open to everyone, and stores what it receives. */
@Injectable()
export class DeviceRates {
  constructor(
    private readonly rates: RequestRates,
    private readonly settings: PushDeviceSettings,
  ) {}

  /**
   * Counts a request to register, valid or not, for its address. Answers 0 within the limit, otherwise the whole seconds
   * after which to retry.
   */
  registersFrom(ip: string): Awaitable<number> {
    const limits = limitsFrom('registrations', ip, this.settings.registrationsPerSecond.address);
    return limits.length > 0 ? this.rates.take(limits) : 0;
  }

  /** The same for a registration of an instance. A client that exceeds its own rate does not use up this one. */
  registers(instanceId: string): Awaitable<number> {
    return this.rates.take([limitOf(`registrations of ${instanceId}`, this.settings.registrationsPerSecond.instance)]);
  }

  /** The same for a change of a device, with a body of so many bytes. */
  changes({ instanceId, id }: DevicePath, ip: string, bytes: number): Awaitable<number> {
    const limits = this.writes('device writes', instanceId, id, ip);
    const count = 1 + Math.floor(bytes / bytesOfWrite);
    return this.rates.take(limits.map((limit) => ({ ...limit, count })));
  }

  /** The same for a report of a device, at the rates of changes. All devices may report a publish: they count apart. */
  reports(instanceId: string, id: string, ip: string): Awaitable<number> {
    return this.rates.take(this.writes('reports', instanceId, id, ip));
  }

  private writes(kind: string, instanceId: string, id: string, ip: string): RequestLimit[] {
    const { address, device, instance } = this.settings.writesPerSecond;
    return [
      ...limitsFrom(kind, ip, address),
      limitOf(`${kind} of ${instanceId} ${id}`, device),
      limitOf(`${kind} of ${instanceId}`, instance),
    ];
  }
}
