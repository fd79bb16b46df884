import { AsyncResource } from 'node:async_hooks';

/** While there is no work, one in so many polls looks: it finds work that was left without a notice. */
const seldom = 5;

/**
 * Looks for work at each poll, and at once when notified that there may be some. One look runs at a time; work that
 * came too late for it is found by the next.
 */
export class PolledWork {
  private poll?: NodeJS.Timeout | undefined;
  private unwatch?: (() => Promise<void>) | undefined;
  /** Whether other processes were heard of, and will be. */
  private isHeard = false;
  /** The polls since there was work, or may have been. */
  private idlePolls = 0;
  private working?: Promise<void> | undefined;
  /** Whether a look has not ended: from then on, a call begins another. */
  private isWorking = false;
  /** It looks in this context, not in that of the caller that woke it, such as a transaction. */
  private readonly context = new AsyncResource('PolledWork');
  /** Whether work may have arrived during the last look. */
  private woken = false;

  /**
   * @param doAll looks for work, and does what it finds
   * @param failed receives the error of a failed look, which is repeated at the next poll
   */
  constructor(
    private readonly doAll: () => Promise<void>,
    private readonly failed: (error: unknown) => void,
  ) {}

  /** Whether a look may continue: the work was started and is not stopping. */
  get isOn(): boolean {
    return this.poll !== undefined;
  }

  /**
   * @param watch calls `wake` once it would notice, and then when other processes have left work; returns a function
   *   that ends the watch, nothing if only polls find it
   * @param attentiveMs how long after that each poll looks, though the work may be done by another process
   */
  start(pollMs: number, watch: (wake: () => void) => (() => Promise<void>) | undefined, attentiveMs: number): void {
    this.poll = setInterval(() => this.onPoll(attentiveMs / pollMs), pollMs);
    this.unwatch = watch(() => {
      this.isHeard = true;
      this.wake();
    });
    this.wake();
  }

  /** Looks at once, instead of at the next poll. */
  wake(): void {
    if (!this.isOn) return;
    this.idlePolls = 0;
    this.look();
  }

  private onPoll(attentivePolls: number): void {
    const isIdle = this.isHeard && ++this.idlePolls > attentivePolls;
    if (!isIdle || this.idlePolls % seldom === 0) this.look();
  }

  private look(): void {
    this.woken = true;
    if (this.isWorking) return;
    this.isWorking = true;
    this.working = this.context.runInAsyncScope(() => this.work());
  }

  /** Called when there was work: some of it may have to be tried again. */
  keepLooking(): void {
    this.idlePolls = 0;
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
        await this.doAll();
      }
    } catch (error) {
      this.failed(error);
    } finally {
      this.isWorking = false;
    }
  }
}
