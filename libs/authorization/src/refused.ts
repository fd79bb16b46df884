import { HttpException, Logger } from '@nestjs/common';
import { BodyTooLarge, clientErrorStatus, loggedFault, type Refusal, Unavailable } from 'rookery/common';

/** Why a request is not granted: a status and a sentence, answered as plain text. */
export class Refused extends HttpException {
  constructor(
    status: number,
    readonly text: string,
    readonly headers: Readonly<Record<string, string>> = {},
  ) {
    super(text, status);
  }
}

export const badRequest = (text: string): Refused => new Refused(400, text);
export const appKeyMissing = (): Refused => badRequest('Missing required parameter: app_key');
export const forbidden = (text: string): Refused => new Refused(403, text);

/** More than is let run at once: some wait longer than others, so that they do not all come back together. */
export const tooBusy = (): Refused =>
  new Refused(503, 'Too many authorizations at once', { 'retry-after': String(1 + Math.floor(Math.random() * 3)) });

const logger = new Logger('Authorization');

/** Statuses of a guard or a method that a client can do something about; any other 4xx of theirs is a plain no. */
const telling = new Set([401, 429]);

/** What went wrong, as plain text and a newline. */
export function refusalOf(error: unknown): Refusal {
  if (error instanceof Refused) return text(error.getStatus(), error.text, error.headers);
  if (error instanceof BodyTooLarge) return text(413, error.message);
  if (error instanceof Unavailable)
    return text(503, 'Service unavailable', { 'retry-after': String(error.retryAfterSeconds) });
  const status = clientErrorStatus(error);
  if (status !== undefined) return text(status < 500 && !telling.has(status) ? 403 : status, (error as Error).message);
  return text(500, 'Internal server error', loggedFault(logger, error));
}

const text = (status: number, sentence: string, headers: Refusal['headers'] = {}): Refusal => ({
  status,
  contentType: 'text/plain; charset=utf-8',
  body: `${sentence}\n`,
  headers,
});
