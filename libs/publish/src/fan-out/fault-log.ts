import { Injectable, Logger } from '@nestjs/common';
import type { Platform } from 'rookery/push-device';

/** Logs a platform's fault once, and again only if it changes or the platform worked in between. */
@Injectable()
export class FaultLog {
  private readonly logger = new Logger('Fan-out');
  private readonly said = new Map<string, string>();

  fault(instanceId: string, platform: Platform, publishId: string, message: string): void {
    const key = `${platform} ${instanceId}`;
    if (this.said.get(key) === message) return;
    this.said.set(key, message);
    this.logger.error(
      `Instance ${instanceId}: nothing can be sent on ${platform}: ${message} (first seen with ${publishId}). ` +
        `No device is removed because of it.`,
    );
  }

  works(instanceId: string, platform: Platform): void {
    this.said.delete(`${platform} ${instanceId}`);
  }
}
