/** The URL is one that may not be asked: nothing was sent. The message names the origin, never the path or credentials. */
export class UnsafeUrl extends Error {
  override readonly name = 'UnsafeUrl';
  constructor(
    readonly reason: 'not-a-url' | 'scheme' | 'host' | 'private-address',
    message: string,
  ) {
    super(message);
  }
}

/** No answer came: the host is away, refused the connection, failed TLS or took too long. Trying later may help. */
export class FetchFailed extends Error {
  override readonly name = 'FetchFailed';
  constructor(
    readonly reason: 'timeout' | 'network',
    message: string,
    /** The system's or TLS' own word: `ECONNREFUSED`, `CERT_HAS_EXPIRED`. */
    readonly code?: string,
  ) {
    super(message);
  }
}
