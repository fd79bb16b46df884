import { Injectable } from '@nestjs/common';
import { AuthorizationSettings } from './authorization.options.js';
import { tooBusy } from './refused.js';

/** Limits the concurrent authorizations. */
@Injectable()
export class ConcurrentAuthorizations {
  private taken = 0;
  private readonly waiting: (() => void)[] = [];

  constructor(private readonly settings: AuthorizationSettings) {}

  /**
   * Runs work that takes several slots; a request that needs more than all of them runs alone.
   * @throws Refused 503 if they are not free
   */
  async run<T>(count: number, work: () => Promise<T>): Promise<T> {
    if (this.taken > 0 && this.taken + count > this.settings.concurrency) throw tooBusy();
    this.taken += count;
    return this.taking(count, work);
  }

  /** Runs work when a slot is free: a connection waits anyway, and has one request at a time. */
  async runInTurn<T>(work: () => Promise<T>): Promise<T> {
    if (this.taken < this.settings.concurrency) this.taken += 1;
    else await new Promise<void>((resolve) => void this.waiting.push(resolve));
    return this.taking(1, work);
  }

  private async taking<T>(count: number, work: () => Promise<T>): Promise<T> {
    try {
      return await work();
    } finally {
      this.taken -= count;
      this.letIn();
    }
  }

  /** Those that wait get their slots here: otherwise a caller that comes before they go on would overtake them. */
  private letIn(): void {
    const next = this.waiting.splice(0, Math.max(0, this.settings.concurrency - this.taken));
    this.taken += next.length;
    for (const go of next) go();
  }
}
