/** What is shared by processes cannot be reached at the moment. Over HTTP it is answered 503, with Retry-After. */
export class Unavailable extends Error {
  /** After so many seconds it is worth another try. */
  readonly retryAfterSeconds = 1;

  constructor(what: string, cause?: unknown) {
    super(`${what} cannot be reached${cause instanceof Error ? `: ${cause.message}` : ''}`, { cause });
  }
}
