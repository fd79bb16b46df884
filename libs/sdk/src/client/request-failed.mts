/** A request has no reply. */
export class RequestFailed extends Error {
  override readonly name = 'RequestFailed';

  constructor(
    message: string,
    /**
     * - `refused`: the server answered an error, with its `status`.
     * - `timeout`: no reply came in time; it may have been carried out.
     * - `unknown`: the connection was lost before the reply, and the server does not know whether it was carried out.
     */
    readonly reason: 'refused' | 'timeout' | 'unknown',
    /** As of HTTP, from 400 to 599; 0 if there is none. */
    readonly status = 0,
  ) {
    super(message);
  }
}
