import type { Logger } from '@nestjs/common';

const quietMs = 10_000;

/** Logs how a full queue drops jobs: the first time at once, then at most one line per ten seconds. */
export class DropReport {
  private counted = 0;
  private fate = '';
  private loggedAt = -Infinity;

  /** @param jobs - the name of the jobs, such as `webhooks` */
  constructor(
    private readonly logger: Logger,
    private readonly jobs: string,
  ) {}

  /** @param fate - what happened to the latest jobs, such as `dropped, last …` */
  count(fate: string, jobs = 1): void {
    this.counted += jobs;
    this.fate = fate;
    this.log();
  }

  /** Logs the jobs counted meanwhile; call it now and then, so that the last ones are logged too. */
  log(): void {
    const now = performance.now();
    if (this.counted === 0 || now - this.loggedAt < quietMs) return;
    this.logger.warn(`The queue of ${this.jobs} is full: ${this.counted} ${this.fate}`);
    this.counted = 0;
    this.loggedAt = now;
  }
}
