import {
  type BeforeApplicationShutdown,
  Inject,
  Injectable,
  Logger,
  type OnApplicationBootstrap,
} from '@nestjs/common';
import { Sweeps } from '#common';
import { type Clock, publishClock, PublishSettings } from './publish.options.js';
import { PublishOutbox } from './outbox/publish.outbox.js';

const everyMs = 600_000;
const batch = 500;

/** Removes old data: finished publishes with their reports, device outcomes, and idempotency keys. */
@Injectable()
export class Retention implements BeforeApplicationShutdown, OnApplicationBootstrap {
  private readonly logger = new Logger('Retention');
  private readonly sweeps = new Sweeps(() => this.sweep(), everyMs, this.logger, 'Could not forget old publishes');

  constructor(
    private readonly settings: PublishSettings,
    private readonly outbox: PublishOutbox,
    @Inject(publishClock) private readonly now: Clock,
  ) {}

  onApplicationBootstrap(): void {
    if (this.settings.worker) {
      this.sweeps.start();
      this.sweeps.wake();
    }
  }

  /** Runs before the other providers shut down: a sweep in progress still needs the storage. */
  async beforeApplicationShutdown(): Promise<void> {
    await this.sweeps.stop();
  }

  async sweep(): Promise<void> {
    await this.outbox.forgetKeys(this.now());
    while ((await this.outbox.forgetOutcomes(this.now() - this.settings.outcomeRetentionMs)) > 0);
    for (;;) {
      const old = await this.outbox.finishedBefore(this.now() - this.settings.retentionMs, batch);
      if (old.length === 0) return;
      await this.outbox.forget(old);
    }
  }
}
