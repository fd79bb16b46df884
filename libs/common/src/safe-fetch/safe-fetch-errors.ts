/** The URL is not allowed: nothing was sent. The message names the origin, never the path or credentials. */
export class UnsafeUrl extends Error {
  override readonly name = 'UnsafeUrl';
  constructor(
    readonly reason: 'not-a-url' | 'scheme' | 'host' | 'private-address',
    message: string,
  ) {
    super(message);
  }
}

/** The request cannot be sent, whatever the host answers: for example, a header contains a line break. */
export class UnsendableRequest extends Error {
  override readonly name = 'UnsendableRequest';
}

/** No answer came: the host is down, refused the connection, failed TLS or timed out. A later retry may succeed. */
export class FetchFailed extends Error {
  override readonly name = 'FetchFailed';
  constructor(
    readonly reason: 'timeout' | 'network',
    message: string,
    /** The error code of the system or TLS: `ECONNREFUSED`, `CERT_HAS_EXPIRED`. */
    readonly code?: string,
  ) {
    super(message);
  }
}
