/**
 * The database of a URL cannot be opened or brought up to date. The message is one line; the password of the URL is not
 * in it.
 */
export class DatabaseUnavailable extends Error {
  override readonly name = 'DatabaseUnavailable';

  /** @param fault - what follows the name of the setting, such as `: connect ECONNREFUSED 127.0.0.1:5432` */
  constructor(
    private readonly fault: string,
    options?: ErrorOptions,
  ) {
    super(`TypeOrmStorageModule: url${fault}`, options);
  }

  /** The message with another name for the URL, such as an environment variable's. */
  naming(setting: string): string {
    return setting + this.fault;
  }
}

/** A failure of the database at a URL, for the operator. */
export function unavailable(url: string, cause: unknown): DatabaseUnavailable {
  if (cause instanceof DatabaseUnavailable) return cause;
  // SQLite does not say which file it means.
  const place = url.startsWith('sqlite:') ? ` (${url})` : '';
  return new DatabaseUnavailable(`: ${reasonOf(cause)}${place}`, { cause });
}

/** In one line. A host of several addresses fails with one error for each of them, and no message of its own. */
function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  if (error instanceof AggregateError) return [...new Set(error.errors.map(reasonOf))].join(', ');
  return error.message.replace(/\s*\n\s*/g, ' ') || error.name;
}
