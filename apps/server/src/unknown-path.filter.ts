import { type ArgumentsHost, Catch, type ExceptionFilter, Injectable, NotFoundException } from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';

/** Answers unknown paths and methods as text, like every error of the Channels API, without repeating the query. */
@Catch(NotFoundException)
@Injectable()
export class UnknownPathFilter implements ExceptionFilter<NotFoundException> {
  constructor(private readonly host: HttpAdapterHost) {}

  catch(_: NotFoundException, context: ArgumentsHost): void {
    const response: unknown = context.switchToHttp().getResponse();
    this.host.httpAdapter.setHeader(response, 'content-type', 'text/plain; charset=utf-8');
    this.host.httpAdapter.reply(response, 'Not found\n', 404);
  }
}
