import { Logger } from '@nestjs/common';
import { Unavailable } from '#common';
import { BodyTooLarge, clientErrorStatus, loggedFault, type Refusal } from '#http';
import { bodyTooLarge, ChannelsApiError } from '../channels.errors.js';

const logger = new Logger('Channels');

/** The refusal as plain text and a newline (channels-wire §6.1). */
export function textRefusal(error: unknown): Refusal {
  if (error instanceof ChannelsApiError) return text(error.status, error.message, error.headers);
  if (error instanceof BodyTooLarge) return textRefusal(bodyTooLarge(error.limit));
  if (error instanceof Unavailable) return unavailable(error);
  const status = clientErrorStatus(error);
  if (status !== undefined) return text(status, (error as Error).message);
  return text(500, 'Internal server error', loggedFault(logger, error));
}

const text = (status: number, sentence: string, headers?: Refusal['headers']): Refusal => ({
  status,
  contentType: 'text/plain; charset=utf-8',
  body: `${sentence}\n`,
  ...(headers && { headers }),
});

/** The store's outage is already logged, so single requests are not. */
const unavailable = ({ retryAfterSeconds }: Unavailable): Refusal => ({
  ...text(503, 'Service unavailable'),
  headers: { 'retry-after': String(retryAfterSeconds) },
});
