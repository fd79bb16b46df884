import { Logger } from '@nestjs/common';
import { Unavailable } from '#common';
import { NoConnection } from './connected.js';
import { resultOf } from './sqlite-result.js';
import { StatementFailed } from './statement-failed.js';

const quietMs = 60_000;

/** PostgreSQL's classes and codes: no connection, no space, stopped by an operator, read-only, broken disk. */
const ofPostgres = /^(08|53|57P|25006|58)/;
/** The codes of the system; pg's pool has only messages. */
const ofConnections = /^E[A-Z]+$/;
const ofPool =
  /Connection terminated|timeout exceeded when trying to connect|Client has encountered a connection error/;

/** Turns refusals that are the database's own fault into {@link Unavailable}, and logs them at most once a minute. */
export class StorageRefusal {
  private readonly logger = new Logger('Storage');
  private saidAt = -Infinity;

  /** Returns the error to throw in place of the database's. */
  of(error: unknown): unknown {
    if (!isRefusal(error)) return error;
    if (performance.now() - this.saidAt > quietMs) {
      this.saidAt = performance.now();
      this.logger.error(`The database refuses requests, which are answered 503: ${error.message}`);
    }
    return new Unavailable('The database', error);
  }
}

function isRefusal(error: unknown): error is Error {
  if (!(error instanceof Error)) return false;
  if (error instanceof NoConnection) return true;
  if (error instanceof StatementFailed) return ofPostgres.test(error.code ?? '') || ofPool.test(error.message);
  if (resultOf(error) !== undefined) return true;
  const { code } = error as { readonly code?: unknown };
  return (
    ofPool.test(error.message) || (typeof code === 'string' && (ofConnections.test(code) || ofPostgres.test(code)))
  );
}
