/** One SQL statement. Both dialects write parameters as `?`. */
export interface Statement {
  readonly text: string;
  readonly parameters: readonly unknown[];
}

/** The rows that a statement returns: those of a SELECT, or of RETURNING. */
export type Rows = readonly unknown[];

/**
 * A transaction, written as a generator that yields its statements through {@link run}. It must not wait for anything
 * else: on SQLite it runs within one turn of the event loop, so that nothing gets between its statements.
 */
export type Work<T> = Generator<Statement, T, Rows>;

/**
 * Runs a statement inside a {@link Work}: `const rows = yield* run<Row>('SELECT …', [id])`.
 *
 * @typeParam Row - the known type of the returned rows
 */
export function* run<Row = unknown>(text: string, parameters: readonly unknown[] = []): Work<readonly Row[]> {
  // The caller names the row type next to the selected columns.
  return (yield { text, parameters }) as readonly Row[];
}
