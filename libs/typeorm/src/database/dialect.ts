/** What the two databases spell differently. */
export interface Dialect {
  readonly name: 'sqlite' | 'postgres';
  /** A source of rows with the single column `value`, from one parameter: `list(values)`. */
  readonly each: string;
  /** The parameter that goes with `each`. */
  list(values: Iterable<string>): unknown;
  /** Ends a SELECT whose row stays locked until the end of the transaction. */
  readonly forUpdate: string;
  /** Ends a SELECT that takes rows no other transaction holds, and passes the others by. */
  readonly skipLocked: string;
  /** A statement that holds a name until the end of the transaction; undefined where one writer is alone anyway. */
  readonly holdName: string | undefined;
  /**
   * The position of the `n`th of the triggers that one statement adds. SQLite has one writer, so that it can count on;
   * PostgreSQL gives the position at the commit, and until then one below 0 that keeps the order within the transaction.
   */
  nextPosition(n: number): string;
  /** A sorting that compares bytes. */
  readonly byteOrder: string | undefined;
}

/** One writer at a time: what would lock rows needs no words. */
export const sqlite: Dialect = {
  name: 'sqlite',
  each: 'json_each(?)',
  list: (values) => JSON.stringify([...values]),
  forUpdate: '',
  skipLocked: '',
  holdName: undefined,
  nextPosition: (n) => `(SELECT COALESCE(MAX(position), 0) + ${n} FROM rookery_triggers)`,
  byteOrder: undefined,
};

export const postgres: Dialect = {
  name: 'postgres',
  each: 'unnest(?::text[]) AS each(value)',
  list: (values) => [...values],
  forUpdate: 'FOR NO KEY UPDATE',
  skipLocked: 'FOR NO KEY UPDATE SKIP LOCKED',
  holdName: 'SELECT pg_advisory_xact_lock(hashtextextended(?, 0))',
  nextPosition: () => "-nextval('rookery_trigger_positions')",
  byteOrder: 'C',
};
