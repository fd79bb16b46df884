import { Logger } from '@nestjs/common';
import type { Database } from '../database/database.js';

const forgetMs = 60_000;

/** Deletes the rows of names that have all of their requests again: anyone can create names, such as addresses. */
export class EarnedBack {
  private readonly logger = new Logger('Rates');
  private forgotAt = performance.now();

  constructor(private readonly database: Database) {}

  /** Runs at most once a minute, in the background. */
  forget(): void {
    if (performance.now() - this.forgotAt < forgetMs) return;
    this.forgotAt = performance.now();
    this.database
      .execute('DELETE FROM rookery_request_rates WHERE free_at < ?', [(Date.now() - forgetMs) * 1000])
      .catch((error: unknown) => this.logger.warn(`Rates that are earned back were not forgotten: ${String(error)}`));
  }
}
