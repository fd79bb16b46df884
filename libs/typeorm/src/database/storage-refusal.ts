import { Logger } from '@nestjs/common';
import { isAway, QuietCount, Unavailable } from '#common';
import { resultOf } from './sqlite-result.js';

/** Turns refusals that are the database's own fault into {@link Unavailable}, and logs them at most once a minute. */
export class StorageRefusal {
  /** How often a write found no room on the disk. */
  ofSpace = 0;
  private readonly logger = new Logger('Storage');
  private readonly refusals = new QuietCount(60_000);

  /** Returns the error to throw in place of the database's. */
  of(error: unknown): unknown {
    if (!isAway(error)) return error;
    if (isLackOfSpace(error)) this.ofSpace++;
    if (this.refusals.add() > 0)
      this.logger.error(`The database refuses requests, which are answered 503: ${error.message}`);
    return new Unavailable('The database', error);
  }
}

const isLackOfSpace = (error: Error & { readonly code?: string }): boolean =>
  error.code === '53100' || resultOf(error) === 'full';
