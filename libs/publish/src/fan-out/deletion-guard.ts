import { Inject, Injectable, Logger } from '@nestjs/common';
import type { Platform } from 'rookery/push-device';
import { type Clock, publishClock, PublishSettings } from '../publish.options.js';

/**
 * Stands between "the gateway says they are gone" and removing a whole audience: a sandbox key, a wrong project or a
 * fault of the gateway looks just like that. Deletion pauses for one platform of one instance, in this process.
 */
@Injectable()
export class DeletionGuard {
  private readonly logger = new Logger('Fan-out');
  private readonly pausedUntil = new Map<string, number>();

  constructor(
    private readonly settings: PublishSettings,
    @Inject(publishClock) private readonly now: Clock,
  ) {}

  /** Whether the gone devices of a page may be removed. */
  allows(instanceId: string, platform: Platform, page: { readonly tried: number; readonly gone: number }): boolean {
    const key = `${platform} ${instanceId}`;
    if (this.looksWrong(page)) this.pause(key, instanceId, platform, page);
    return (this.pausedUntil.get(key) ?? 0) <= this.now();
  }

  private looksWrong({ tried, gone }: { readonly tried: number; readonly gone: number }): boolean {
    const { deletionGuardDevices, deletionGuardShare } = this.settings;
    return tried >= deletionGuardDevices && gone > tried * deletionGuardShare;
  }

  private pause(key: string, instanceId: string, platform: Platform, page: { tried: number; gone: number }): void {
    const { deletionPauseMs } = this.settings;
    const already = (this.pausedUntil.get(key) ?? 0) > this.now();
    this.pausedUntil.set(key, this.now() + deletionPauseMs);
    if (already) return;
    this.logger.error(
      `Instance ${instanceId}: ${page.gone} of ${page.tried} ${platform} devices in a page came back as gone. ` +
        `No ${platform} device is removed for ${deletionPauseMs / 1000} s; check the credentials and the environment ` +
        `(deletionGuardShare sets the share that is allowed).`,
    );
  }
}
