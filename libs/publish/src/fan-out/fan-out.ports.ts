import { Inject, Injectable } from '@nestjs/common';
import { ConcurrencyLimiter } from '#common';
import { DeviceRepository, InstanceRepository, type Platform } from 'rookery/push-device';
import { PushGateways } from '../delivery/push-gateways.js';
import { PublishMetrics } from '../metrics.js';
import { PublishOutbox } from '../outbox/publish.outbox.js';
import { type Clock, publishClock, PublishSettings, steadyClock } from '../publish.options.js';
import { PublishWebhooks } from '../webhooks/publish.webhooks.js';
import { Deliveries } from './deliveries.js';
import { FaultLog } from './fault-log.js';
import { CircuitBreakers } from './circuit-breakers.js';
import { GoneDevices } from './gone-devices.js';

/** The dependencies that all fan-outs of this process share. */
@Injectable()
export class FanOutPorts {
  readonly slots: Readonly<Record<Platform, ConcurrencyLimiter>>;
  private readonly breakers = new Map<string, CircuitBreakers>();

  constructor(
    readonly settings: PublishSettings,
    readonly instances: InstanceRepository,
    readonly devices: DeviceRepository,
    readonly outbox: PublishOutbox,
    readonly gateways: PushGateways,
    readonly deliveries: Deliveries,
    readonly webhooks: PublishWebhooks,
    readonly gone: GoneDevices,
    readonly faults: FaultLog,
    readonly metrics: PublishMetrics,
    @Inject(publishClock) readonly now: Clock,
    @Inject(steadyClock) readonly steady: Clock,
  ) {
    const { apns, fcm, web } = settings.concurrency;
    this.slots = {
      apns: new ConcurrencyLimiter(apns),
      fcm: new ConcurrencyLimiter(fcm),
      web: new ConcurrencyLimiter(web),
    };
  }

  /** The consecutive faults of an instance's gateway, across publishes. */
  breakersOf(instanceId: string, platform: Platform): CircuitBreakers {
    const key = `${platform} ${instanceId}`;
    const breakers = this.breakers.get(key) ?? new CircuitBreakers();
    this.breakers.set(key, breakers);
    return breakers;
  }
}
