/**
 * Work that is looked for at each poll, and sooner when somebody says that there may be some. There is one look at a
 * time; what one was too early for is found by the next.
 */
export class PolledWork {
  private poll?: NodeJS.Timeout | undefined;
  private unwatch?: () => Promise<void>;
  private working?: Promise<void> | undefined;
  /** Whether there may be some that the last look came too early for. */
  private woken = false;

  /**
   * @param look for work, and does what it finds
   * @param failed is told of what a look throws: it is tried again at the next poll, not sooner
   */
  constructor(
    private readonly look: () => Promise<void>,
    private readonly failed: (error: unknown) => void,
  ) {}

  /** Whether a look is to go on: it has begun and is not to end. */
  get isOn(): boolean {
    return this.poll !== undefined;
  }

  /** @param watch has `wake` called when others may have left work, and answers how to end that */
  start(pollMs: number, watch: (wake: () => void) => () => Promise<void>): void {
    const wake = (): void => this.wake();
    this.poll = setInterval(wake, pollMs);
    this.unwatch = watch(wake);
    this.wake();
  }

  /** Looks now, rather than at the next poll. */
  wake(): void {
    if (!this.isOn) return;
    this.woken = true;
    this.working ??= this.work().finally(() => (this.working = undefined));
  }

  /** Answers when what is under way is done. */
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
