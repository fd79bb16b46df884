import { HttpException, Logger } from '@nestjs/common';
import type { HttpAdapterHost } from '@nestjs/core';
import { STATUS_CODES } from 'node:http';
import { ApiError } from './api-error.js';
import { loggedFault } from './logged-fault.js';
import { RouteNotFound } from './route-not-found.js';
import { BodyTooLarge } from './raw-body.js';
import { Unavailable } from '#common';

/** An error as it is sent. */
export interface Refusal {
  readonly status: number;
  readonly contentType: string;
  readonly body: string;
  readonly headers?: Readonly<Record<string, string>>;
}

/** Answers a request with a refusal, on any platform. */
export function replyRefusal(
  { httpAdapter }: HttpAdapterHost,
  response: unknown,
  { status, contentType, body, headers = {} }: Refusal,
): void {
  for (const [name, value] of Object.entries({ ...headers, 'content-type': contentType }))
    httpAdapter.setHeader(response, name, value);
  httpAdapter.reply(response, body, status);
}

const logger = new Logger('Http');

const json = (status: number, error: string, description: string, headers = {}): Refusal => ({
  status,
  contentType: 'application/json',
  body: `${JSON.stringify({ error, description })}\n`,
  headers,
});

/** An error as `{"error", "description"}` and a newline: every SDK reads both (beams-wire §0.2). */
export function jsonRefusal(error: unknown): Refusal {
  if (error instanceof RouteNotFound)
    return { status: 404, contentType: 'text/plain; charset=utf-8', body: error.message };
  if (error instanceof ApiError) return json(error.status, error.error, error.message, error.headers);
  if (error instanceof BodyTooLarge) return json(400, 'Bad request', error.message);
  // The outage is already in the log.
  if (error instanceof Unavailable)
    return json(503, 'Service unavailable', 'Try again in a moment', {
      'retry-after': String(error.retryAfterSeconds),
    });
  const status = clientErrorStatus(error);
  if (status !== undefined)
    return json(
      status,
      STATUS_CODES[status] ?? 'Bad Request',
      (error as Error).message || (STATUS_CODES[status] ?? 'Bad Request'),
    );
  return json(500, 'Something went wrong', 'Internal server error', loggedFault(logger, error));
}

/** The status of an error caused by the client: one of Nest's exceptions, or the host's own. */
export function clientErrorStatus(error: unknown): number | undefined {
  if (!(error instanceof Error)) return undefined;
  const status = error instanceof HttpException ? error.getStatus() : (error as { statusCode?: unknown }).statusCode;
  return typeof status === 'number' && status >= 400 && status < 600 && status !== 500 ? status : undefined;
}
