import { Injectable, type OnApplicationShutdown } from '@nestjs/common';
import type { Platform } from 'rookery/push-device';
import type { PushGateway } from './push.gateway.js';

/** The gateways of this process, one for each platform. */
@Injectable()
export class PushGateways implements OnApplicationShutdown {
  constructor(readonly all: readonly PushGateway[]) {}

  of(platform: Platform): PushGateway {
    const gateway = this.all.find((one) => one.platform === platform);
    if (!gateway) throw new Error(`PublishModule: no gateway for ${platform}`);
    return gateway;
  }

  async onApplicationShutdown(): Promise<void> {
    await Promise.all(this.all.map((gateway) => gateway.close()));
  }
}
