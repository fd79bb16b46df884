import type { Connection } from '../../connections/connection.js';
import type { Settled } from './request-error.js';
import type { RequestMessage } from './request.message.js';

/** What answers a request: a method of the host, or an endpoint of the app. */
export interface Answerer {
  /** As the log names it. */
  readonly name: string;
  /** How long its reply may take. */
  readonly timeoutMs: number;
  /** @throws HttpException and the like, which are the client's error; EndpointFailed; any other error is a fault */
  answer(connection: Connection, message: RequestMessage): Promise<Settled>;
}
