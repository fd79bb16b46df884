import { type BeforeApplicationShutdown, Injectable, Logger, type OnApplicationBootstrap } from '@nestjs/common';
import { ConsoleStore } from 'rookery/internal/common';
import { EndpointHealths, type LastAttempt } from './endpoint-health.js';

const everyMs = 60_000;
/** More endpoints wait for the next time. */
const mostAtOnce = 200;

/** Stores how the endpoints of webhooks answered, where a store keeps that, so that a restart forgets none. */
@Injectable()
export class KeptHealths implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private readonly logger = new Logger('Console');
  private timer: NodeJS.Timeout | undefined;

  constructor(
    private readonly healths: EndpointHealths,
    private readonly store: ConsoleStore,
  ) {}

  onApplicationBootstrap(): void {
    if (!this.store.keepsHealths) return;
    this.timer = setInterval(() => void this.keep(), everyMs).unref();
    // A start does not wait for it.
    void this.restore();
  }

  async beforeApplicationShutdown(): Promise<void> {
    clearInterval(this.timer);
    if (this.store.keepsHealths) await this.keep();
  }

  /** Stores those that were tried since they were last stored. */
  async keep(): Promise<void> {
    try {
      for (const attempt of this.healths.unstored(mostAtOnce)) {
        const { owner, url, at, ...answer } = attempt;
        await this.store.keepHealth({ owner, url, at, text: JSON.stringify(answer) });
        this.healths.stored(attempt);
      }
    } catch (error) {
      this.logger.debug(`How endpoints of webhooks answered was not stored: ${(error as Error).message}`);
    }
  }

  private async restore(): Promise<void> {
    try {
      for (const { text, ...attempt } of await this.store.healths())
        this.healths.restore({ ...attempt, ...(JSON.parse(text) as Omit<LastAttempt, 'owner' | 'url' | 'at'>) });
    } catch (error) {
      this.logger.debug(`How endpoints of webhooks answered was not read: ${(error as Error).message}`);
    }
  }
}
