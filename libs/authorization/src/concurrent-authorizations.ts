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
    try {
      return await work();
    } finally {
      this.taken -= count;
      this.letIn();
    }
  }

  /** Runs work when a slot is free: a connection waits anyway, and has one request at a time. */
  async runInTurn<T>(work: () => Promise<T>): Promise<T> {
    while (this.taken >= this.settings.concurrency) await new Promise<void>((resolve) => this.waiting.push(resolve));
    return this.run(1, work);
  }

  private letIn(): void {
    for (const next of this.waiting.splice(0, this.settings.concurrency - this.taken)) next();
  }
}
