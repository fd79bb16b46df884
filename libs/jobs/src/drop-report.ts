import type { Logger } from '@nestjs/common';

const quietMs = 10_000;

/** Logs what a full queue does to jobs: the first time at once, then one line for all in each ten seconds. */
export class DropReport {
  private counted = 0;
  private fate = '';
  private toldAt = -Infinity;

  /** @param jobs - what they are called, such as `webhooks` */
  constructor(
    private readonly logger: Logger,
    private readonly jobs: string,
  ) {}

  /** @param fate - of the last of them, such as `dropped, last …` */
  count(fate: string, jobs = 1): void {
    this.counted += jobs;
    this.fate = fate;
    this.tell();
  }

  /** Writes what was counted in the meantime; called now and then, so that the last of them are logged too. */
  tell(): void {
    const now = performance.now();
    if (this.counted === 0 || now - this.toldAt < quietMs) return;
    this.logger.warn(`The queue of ${this.jobs} is full: ${this.counted} ${this.fate}`);
    this.counted = 0;
    this.toldAt = now;
  }
}
