import { type ArgumentsHost, Catch, type ExceptionFilter, NotFoundException } from '@nestjs/common';
import type { HttpAdapterHost } from '@nestjs/core';
import { messageOf, originForm, type PlatformRequest } from 'rookery/internal/http';

const upgradeText =
  'This address is for WebSockets. If a client got this answer, let the proxy forward the headers Upgrade and Connection.\n';

/**
 * Answers unknown paths and methods as text, like every error of the Channels API, without repeating the query. A socket's
 * address without an upgrade, as it comes from a proxy that does not forward it, is answered 426.
 */
@Catch(NotFoundException)
export class UnknownPathFilter implements ExceptionFilter<NotFoundException> {
  /** @param socketPath what is before `/app/<key>` in the addresses of sockets; undefined where none are served */
  constructor(
    private readonly host: HttpAdapterHost,
    private readonly socketPath: string | undefined,
  ) {}

  catch(_: NotFoundException, context: ArgumentsHost): void {
    const http = context.switchToHttp();
    const response: unknown = http.getResponse();
    const { httpAdapter } = this.host;
    httpAdapter.setHeader(response, 'content-type', 'text/plain; charset=utf-8');
    if (!this.isForSocket(http.getRequest<PlatformRequest>()))
      return void httpAdapter.reply(response, 'Not found\n', 404);
    httpAdapter.setHeader(response, 'upgrade', 'websocket');
    httpAdapter.setHeader(response, 'connection', 'upgrade');
    httpAdapter.reply(response, upgradeText, 426);
  }

  private isForSocket(request: PlatformRequest): boolean {
    const { method, url = '' } = messageOf(request);
    const target = originForm(url);
    if (method !== 'GET' || this.socketPath === undefined || !target.startsWith(this.socketPath)) return false;
    return /^(?:\/session\/[^/?]*)?\/app\/[^/?]+\/?(?:\?|$)/.test(target.slice(this.socketPath.length));
  }
}
