import type { Logger } from '@nestjs/common';

const quietMs = 10_000;

/** Says that webhooks were dropped: the first at once, then one line for all in each ten seconds. */
export class DropReport {
  private dropped = 0;
  private last = '';
  private toldAt = -Infinity;

  constructor(private readonly logger: Logger) {}

  count(now: number, what: string): void {
    this.dropped += 1;
    this.last = what;
    this.tell(now);
  }

  /** Writes what was counted in the meantime; called now and then, so that the last drops are told too. */
  tell(now: number): void {
    if (this.dropped === 0 || now - this.toldAt < quietMs) return;
    this.logger.warn(`The webhook queue is full: ${this.dropped} dropped, last ${this.last}`);
    this.dropped = 0;
    this.toldAt = now;
  }
}
