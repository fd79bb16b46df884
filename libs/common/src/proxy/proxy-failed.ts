/** The proxy opened no connection. Nothing was sent to the host behind it. */
export class ProxyFailed extends Error {
  override readonly name = 'ProxyFailed';
  /** `PROXY_` with the status of its answer (`PROXY_407`), or with what went wrong (`PROXY_ECONNREFUSED`). */
  readonly code: string;

  constructor(what: string, message: string) {
    super(message);
    this.code = `PROXY_${what}`;
  }
}
