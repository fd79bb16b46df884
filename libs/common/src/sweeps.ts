import type { Logger } from '@nestjs/common';

/** Sweeps at intervals, one sweep at a time. Waiting for the next one keeps no process alive. */
export class Sweeps {
  private timer: NodeJS.Timeout | undefined;
  private sweeping: Promise<void> | undefined;
  private isStopped = false;

  /**
   * @param sweep - answers true if it is to be called again at once
   * @param failed - what a failed sweep could not do, for the log
   */
  constructor(
    private readonly sweep: () => Promise<boolean | void>,
    private readonly everyMs: number,
    private readonly logger: Logger,
    private readonly failed: string,
  ) {}

  /** Whether a sweep in progress should end early. */
  get areStopped(): boolean {
    return this.isStopped;
  }

  start(): void {
    this.timer = setInterval(() => this.wake(), this.everyMs).unref();
  }

  /** Sweeps now, unless a sweep is in progress. */
  wake(): void {
    if (!this.isStopped) this.sweeping ??= this.run().finally(() => (this.sweeping = undefined));
  }

  /** Waits for the sweep in progress: call it before the storage shuts down. */
  async stop(): Promise<void> {
    this.isStopped = true;
    clearInterval(this.timer);
    await this.sweeping;
  }

  private async run(): Promise<void> {
    try {
      while (!this.isStopped && (await this.sweep()));
    } catch (error) {
      this.logger.error(`${this.failed}; trying again later`, error);
    }
  }
}
