import {
  type BeforeApplicationShutdown,
  Inject,
  Injectable,
  Logger,
  type OnApplicationBootstrap,
} from '@nestjs/common';
import { GoneDeviceRepository } from './deletions/gone-device.repository.js';
import { type Clock, publishClock, PublishSettings } from './publish.options.js';
import { ReportRepository } from './reports/report.repository.js';
import { PublishOutbox } from './outbox/publish.outbox.js';

const everyMs = 600_000;
const batch = 500;

/** Removes old data: finished publishes with their reports, device outcomes, and idempotency keys. */
@Injectable()
export class Retention implements BeforeApplicationShutdown, OnApplicationBootstrap {
  private readonly logger = new Logger('Retention');
  private timer?: NodeJS.Timeout;
  private sweeping?: Promise<void>;

  constructor(
    private readonly settings: PublishSettings,
    private readonly outbox: PublishOutbox,
    private readonly reports: ReportRepository,
    private readonly goneDevices: GoneDeviceRepository,
    @Inject(publishClock) private readonly now: Clock,
  ) {}

  onApplicationBootstrap(): void {
    if (!this.settings.worker) return;
    this.timer = setInterval(() => void this.trySweep(), everyMs);
    this.timer.unref();
    void this.trySweep();
  }

  /** Runs before the other providers shut down: a sweep in progress still needs the storage. */
  async beforeApplicationShutdown(): Promise<void> {
    clearInterval(this.timer);
    await this.sweeping;
  }

  /**
   * Removes reports before their publish: after a crash in between, the publish still leads to them. Reports added
   * meanwhile are removed after the publish; from then on, ReportsService reverts its own additions.
   */
  async sweep(): Promise<void> {
    await this.outbox.forgetKeys(this.now());
    while ((await this.outbox.forgetOutcomes(this.now() - this.settings.outcomeRetentionMs)) > 0);
    for (;;) {
      const old = await this.outbox.finishedBefore(this.now() - this.settings.retentionMs, batch);
      if (old.length === 0) return;
      await this.reports.forget(old);
      await this.goneDevices.forget(old);
      await this.outbox.forget(old);
      await this.reports.forget(old);
    }
  }

  private async trySweep(): Promise<void> {
    this.sweeping ??= this.sweep()
      .catch((error: unknown) => this.logger.error('Could not forget old publishes; trying again later', error))
      .finally(() => (this.sweeping = undefined));
    await this.sweeping;
  }
}
