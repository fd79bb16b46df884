import { Injectable, Logger } from '@nestjs/common';
import { dropOldest } from '#common';
import type { Platform } from 'rookery/push-device';

/** Any client can register a device, so bundle identifiers are untrusted. */
const maxApps = 100;

/** Logs a fault of a platform, or of an app, once, and again only if it changes or the platform worked in between. */
@Injectable()
export class FaultLog {
  private readonly logger = new Logger('Fan-out');
  /** The last message of each app, by platform and instance. */
  private readonly said = new Map<string, Map<string, string>>();

  /** @param bundleIdentifier - absent: nothing can be sent on the platform */
  fault(instanceId: string, platform: Platform, publishId: string, message: string, bundleIdentifier = ''): void {
    const key = `${platform} ${instanceId}`;
    const said = this.said.get(key) ?? new Map<string, string>();
    this.said.set(key, said);
    if (said.get(bundleIdentifier) === message) return;
    said.set(bundleIdentifier, message);
    dropOldest(said, maxApps);
    const where = bundleIdentifier === '' ? platform : `${platform} to ${bundleIdentifier}`;
    this.logger.error(
      `Instance ${instanceId}: nothing can be sent on ${where}: ${message} (first seen with ${publishId}). ` +
        `No device is removed because of it.`,
    );
  }

  clearFault(instanceId: string, platform: Platform): void {
    this.said.delete(`${platform} ${instanceId}`);
  }
}
