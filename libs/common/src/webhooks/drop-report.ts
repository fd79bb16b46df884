import type { Logger } from '@nestjs/common';

const quietMs = 10_000;

/** Says what a full queue does to webhooks: the first time at once, then one line for all in each ten seconds. */
export class DropReport {
  private counted = 0;
  private fate = '';
  private toldAt = -Infinity;

  constructor(private readonly logger: Logger) {}

  /** @param fate - of the last of them, such as `dropped, last …` */
  count(fate: string, webhooks = 1): void {
    this.counted += webhooks;
    this.fate = fate;
    this.tell();
  }

  /** Writes what was counted in the meantime; called now and then, so that the last of them are told too. */
  tell(): void {
    const now = performance.now();
    if (this.counted === 0 || now - this.toldAt < quietMs) return;
    this.logger.warn(`The webhook queue is full: ${this.counted} ${this.fate}`);
    this.counted = 0;
    this.toldAt = now;
  }
}
