import { HttpException, Logger } from '@nestjs/common';
import { Unavailable } from 'rookery/internal/common';
import { BodyTooLarge, clientErrorStatus, loggedFault, type Refusal, StatusError } from 'rookery/internal/http';

/** A refusal of the console: a status and a sentence, answered as `{"error": "…"}`. */
export class ConsoleError extends HttpException {
  constructor(
    status: number,
    readonly sentence: string,
    readonly headers: Readonly<Record<string, string>> = {},
  ) {
    super(sentence, status);
  }
}

export const badRequest = (sentence: string): ConsoleError => new ConsoleError(400, sentence);
export const notSignedIn = (): ConsoleError => new ConsoleError(401, 'Sign in first.');
export const wrongPassword = (): ConsoleError => new ConsoleError(401, 'That is not the password.');
export const forbidden = (sentence: string): ConsoleError => new ConsoleError(403, sentence);
export const notFound = (what: string): ConsoleError => new ConsoleError(404, `${what} was not found.`);
export const tooManyFailures = (seconds: number): ConsoleError =>
  new ConsoleError(429, `Too many wrong passwords. Try again in ${seconds} seconds.`, {
    'retry-after': String(seconds),
  });

const logger = new Logger('Console');

/** Formats an error as `{"error": "…"}`. */
export function consoleRefusal(error: unknown): Refusal {
  if (error instanceof ConsoleError) return json(error.getStatus(), error.sentence, error.headers);
  if (error instanceof StatusError) return json(error.status, error.message, error.headers);
  if (error instanceof BodyTooLarge) return json(413, `The request is larger than ${error.limit} bytes.`);
  if (error instanceof Unavailable)
    return json(503, 'A part of the server that this needs cannot be reached at the moment.', {
      'retry-after': String(error.retryAfterSeconds),
    });
  const status = clientErrorStatus(error);
  if (status !== undefined) return json(status, (error as Error).message);
  return json(500, 'Something went wrong; the log says what.', loggedFault(logger, error));
}

const json = (status: number, error: string, headers: Refusal['headers'] = {}): Refusal => ({
  status,
  contentType: 'application/json; charset=utf-8',
  body: JSON.stringify({ error }),
  headers,
});
