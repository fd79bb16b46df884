import { type BeforeApplicationShutdown, Injectable, Logger, type OnApplicationBootstrap } from '@nestjs/common';
import { Sweeps } from '#common';
import { NotificationsSettings } from './notifications.options.js';
import { NotifyingApps } from './notifying-apps.js';
import { NotificationRepository } from './store/notification.repository.js';

const everyMs = 600_000;
const batch = 500;

/** Deletes old notifications. */
@Injectable()
export class NotificationRetention implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private readonly logger = new Logger('Retention');
  private readonly sweeps = new Sweeps(() => this.sweep(), everyMs, this.logger, 'Could not forget old notifications');

  constructor(
    private readonly settings: NotificationsSettings,
    private readonly apps: NotifyingApps,
    private readonly repository: NotificationRepository,
  ) {}

  onApplicationBootstrap(): void {
    if (this.settings.worker) {
      this.sweeps.start();
      this.sweeps.wake();
    }
  }

  /** Before the other providers shut down: a sweep under way still needs the storage. */
  async beforeApplicationShutdown(): Promise<void> {
    await this.sweeps.stop();
  }

  private async sweep(): Promise<void> {
    for (const appId of await this.repository.appIds()) {
      const before = Date.now() - this.apps.keepSeconds(appId) * 1000;
      while ((await this.repository.forget(appId, before, batch)) === batch);
    }
  }
}
