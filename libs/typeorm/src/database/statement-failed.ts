import { QueryFailedError } from 'typeorm';

/**
 * PostgreSQL failed to run a statement. The driver's error quotes the values; this one does not, because they are
 * tokens, payloads and credentials, and errors are logged.
 */
export class StatementFailed extends Error {
  override readonly name = 'StatementFailed';
  /** PostgreSQL's code, such as `23505`. */
  readonly code: string | undefined;
  readonly statement: string;

  constructor({ message, query, driverError }: QueryFailedError<Error & { readonly code?: string }>) {
    super(message);
    this.code = driverError.code;
    this.statement = query;
  }
}

/** Returns the result of `running`; its errors are thrown without values. */
export async function withoutValues<T>(running: Promise<T>): Promise<T> {
  try {
    return await running;
  } catch (error) {
    throw error instanceof QueryFailedError ? new StatementFailed(error) : error;
  }
}
