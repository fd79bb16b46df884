import { AsyncResource } from 'node:async_hooks';

/**
 * Looks for work at each poll, and at once when notified that there may be some. One look runs at a time; work that
 * came too late for it is found by the next.
 */
export class PolledWork {
  private poll?: NodeJS.Timeout | undefined;
  private unwatch?: () => Promise<void>;
  private working?: Promise<void> | undefined;
  /** It looks in this context, not in that of the caller that woke it, such as a transaction. */
  private readonly context = new AsyncResource('PolledWork');
  /** Whether work may have arrived during the last look. */
  private woken = false;

  /**
   * @param look looks for work, and does what it finds
   * @param failed receives the error of a failed look, which is repeated at the next poll
   */
  constructor(
    private readonly look: () => Promise<void>,
    private readonly failed: (error: unknown) => void,
  ) {}

  /** Whether a look may continue: the work was started and is not stopping. */
  get isOn(): boolean {
    return this.poll !== undefined;
  }

  /** @param watch calls `wake` when other processes may have left work, and returns a function that ends the watch */
  start(pollMs: number, watch: (wake: () => void) => () => Promise<void>): void {
    const wake = (): void => this.wake();
    this.poll = setInterval(wake, pollMs);
    this.unwatch = watch(wake);
    this.wake();
  }

  /** Looks at once, instead of at the next poll. */
  wake(): void {
    if (!this.isOn) return;
    this.woken = true;
    this.working ??= this.context.runInAsyncScope(() => this.work()).finally(() => (this.working = undefined));
  }

  /** Resolves when the work in progress is done. */
  async stop(): Promise<void> {
    clearInterval(this.poll);
    this.poll = undefined;
    await this.unwatch?.();
    await this.working;
  }

  private async work(): Promise<void> {
    try {
      while (this.woken && this.isOn) {
        this.woken = false;
        await this.look();
      }
    } catch (error) {
      this.failed(error);
    }
  }
}
