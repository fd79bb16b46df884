import { Injectable, type OnApplicationShutdown } from '@nestjs/common';
import { settledIn } from '#common';
import type { Platform } from 'rookery/push-device';
import type { PushGateway } from './push.gateway.js';

/** How long gateways may take to close, in milliseconds. */
const closeMs = 1000;

/** The gateways of this process, one for each platform. */
@Injectable()
export class PushGateways implements OnApplicationShutdown {
  private closed: Promise<void> | undefined;

  constructor(readonly all: readonly PushGateway[]) {}

  of(platform: Platform): PushGateway {
    const gateway = this.all.find((one) => one.platform === platform);
    if (!gateway) throw new Error(`PublishModule: no gateway for ${platform}`);
    return gateway;
  }

  /** Closes all, once. */
  close(): Promise<void> {
    return (this.closed ??= Promise.all(this.all.map((gateway) => gateway.close())).then(() => undefined));
  }

  async onApplicationShutdown(): Promise<void> {
    await settledIn(this.close(), closeMs);
  }
}
