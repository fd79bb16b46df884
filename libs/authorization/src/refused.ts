import { HttpException, Logger } from '@nestjs/common';
import { Unavailable } from '#common';
import { BodyTooLarge, clientErrorStatus, loggedFault, type Refusal } from '#http';

/** A refused request: a status and a sentence, answered as plain text. */
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

/** Too many concurrent requests; the random wait keeps clients from returning all at once. */
export const tooBusy = (): Refused =>
  new Refused(503, 'Too many authorizations at once', { 'retry-after': String(1 + Math.floor(Math.random() * 3)) });

/** A method did not end in time. */
export const tooSlow = (): Refused => new Refused(503, 'The authorization took too long', { 'retry-after': '1' });

const logger = new Logger('Authorization');

/** Statuses from a guard or a method that a client can act on; any other 4xx becomes a 403. */
const telling = new Set([401, 429]);

/** Formats an error as plain text and a newline. */
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
