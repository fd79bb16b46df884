import { Catch, Injectable, type ArgumentsHost, type ExceptionFilter } from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import { jsonRefusal } from './refusal.js';

/** Answers whatever is thrown in a push controller as `{"error", "description"}`. */
@Catch()
@Injectable()
export class JsonRefusalFilter implements ExceptionFilter {
  constructor(private readonly host: HttpAdapterHost) {}

  catch(error: unknown, context: ArgumentsHost): void {
    const { status, contentType, body, headers = {} } = jsonRefusal(error);
    const response: unknown = context.switchToHttp().getResponse();
    for (const [name, value] of Object.entries({ ...headers, 'content-type': contentType }))
      this.host.httpAdapter.setHeader(response, name, value);
    this.host.httpAdapter.reply(response, body, status);
  }
}
