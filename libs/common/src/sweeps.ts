import type { Logger } from '@nestjs/common';

/** Sweeps at once and then at intervals, one sweep at a time. Waiting for the next one keeps no process alive. */
export class Sweeps {
  private timer: NodeJS.Timeout | undefined;
  private sweeping: Promise<unknown> | undefined;
  private isStopped = false;

  /** @param failed - what a failed sweep could not do, for the log */
  constructor(
    private readonly sweep: () => Promise<unknown>,
    private readonly everyMs: number,
    private readonly logger: Logger,
    private readonly failed: string,
  ) {}

  /** Whether a sweep in progress should end early. */
  get areStopped(): boolean {
    return this.isStopped;
  }

  start(): void {
    this.timer = setInterval(() => this.trySweep(), this.everyMs).unref();
    this.trySweep();
  }

  /** Waits for the sweep in progress: call it before the storage shuts down. */
  async stop(): Promise<void> {
    this.isStopped = true;
    clearInterval(this.timer);
    await this.sweeping;
  }

  private trySweep(): void {
    this.sweeping ??= this.sweep()
      .catch((error: unknown) => this.logger.error(`${this.failed}; trying again later`, error))
      .finally(() => (this.sweeping = undefined));
  }
}
