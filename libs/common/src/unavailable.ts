/** State shared by processes is currently unreachable. Over HTTP it is answered 503, with Retry-After. */
export class Unavailable extends Error {
  /** The seconds after which to retry. */
  readonly retryAfterSeconds = 1;

  constructor(what: string, cause?: unknown) {
    super(`${what} cannot be reached${cause instanceof Error ? `: ${cause.message}` : ''}`, { cause });
  }
}
