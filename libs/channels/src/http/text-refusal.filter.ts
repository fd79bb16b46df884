import { type ArgumentsHost, Catch, type ExceptionFilter, Injectable, Logger } from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import { BodyTooLarge, clientErrorStatus, type Refusal } from 'rookery/common';
import { bodyTooLarge, ChannelsApiError } from '../channels.errors.js';

const logger = new Logger('Channels');

/** What went wrong, as plain text and a newline (channels-wire §6.1). */
export function textRefusal(error: unknown): Refusal {
  if (error instanceof ChannelsApiError) return text(error.getStatus(), error.text);
  if (error instanceof BodyTooLarge) return textRefusal(bodyTooLarge(error.limit));
  const status = clientErrorStatus(error);
  if (status !== undefined) return text(status, (error as Error).message);
  logger.error(error instanceof Error ? (error.stack ?? error.message) : String(error));
  return text(500, 'Internal server error');
}

/** Answers whatever is thrown in a Channels controller as plain text. */
@Catch()
@Injectable()
export class TextRefusalFilter implements ExceptionFilter {
  constructor(private readonly host: HttpAdapterHost) {}

  catch(error: unknown, context: ArgumentsHost): void {
    const { status, contentType, body } = textRefusal(error);
    const response: unknown = context.switchToHttp().getResponse();
    this.host.httpAdapter.setHeader(response, 'content-type', contentType);
    this.host.httpAdapter.reply(response, body, status);
  }
}

const text = (status: number, sentence: string): Refusal => ({
  status,
  contentType: 'text/plain; charset=utf-8',
  body: `${sentence}\n`,
});
