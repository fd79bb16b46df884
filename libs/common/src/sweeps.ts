import type { Logger } from '@nestjs/common';

/** Options of {@link Sweeps}. */
export interface SweepsOptions {
  /** After a sweep that found nothing, so many intervals pass until the next. @default 1 */
  readonly whenIdle?: number;
}

/** Sweeps at intervals, one sweep at a time. Waiting for the next one keeps no process alive. */
export class Sweeps {
  private timer: NodeJS.Timeout | undefined;
  private sweeping: Promise<void> | undefined;
  private isStopped = false;
  private isIdle = false;
  private intervals = 0;

  /**
   * @param sweep - answers true if it is to be called again at once, and 'done' if it found something, but no more
   * @param failed - what a failed sweep could not do, for the log
   */
  constructor(
    private readonly sweep: () => Promise<boolean | 'done' | void>,
    private readonly everyMs: number,
    private readonly logger: Logger,
    private readonly failed: string,
    private readonly options: SweepsOptions = {},
  ) {}

  /** Whether a sweep in progress should end early. */
  get areStopped(): boolean {
    return this.isStopped;
  }

  start(): void {
    this.timer = setInterval(() => this.onInterval(), this.everyMs).unref();
  }

  private onInterval(): void {
    const { whenIdle = 1 } = this.options;
    if (!this.isIdle || ++this.intervals % whenIdle === 0) this.wake();
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
      this.isIdle = true;
      for (let isMore = true; isMore && !this.isStopped;) {
        const found = await this.sweep();
        isMore = found === true;
        this.isIdle &&= !found;
      }
    } catch (error) {
      this.logger.error(`${this.failed}; trying again later`, error);
    }
  }
}
