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

  constructor({ message, code }: DriverError, statement: string) {
    super(message);
    this.code = code;
    this.statement = statement;
  }
}

type DriverError = Error & { readonly code?: string };

/** Returns the result of a statement of TypeORM's; its errors are thrown without values. */
export async function withoutValues<T>(running: Promise<T>): Promise<T> {
  try {
    return await running;
  } catch (error) {
    if (!(error instanceof QueryFailedError)) throw error;
    throw new StatementFailed(error.driverError as DriverError, error.query);
  }
}
