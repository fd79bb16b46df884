import { Injectable, type OnModuleDestroy, Optional } from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import type { Server } from 'node:http';
import { ChannelsSettings } from 'rookery/channels';
import { ThisNode } from 'rookery/common';

/** How long a request in progress may take at shutdown. */
const patienceMs = 10_000;

/**
 * How long kept-alive connections may still bring a request after the port is closed: it is answered 503, with
 * `Connection: close`. Closing them at once would reset requests in transit.
 */
const lastWordMs = 500;

/** Bounds the shutdown: requests in progress are answered, but clients that never finish one are cut off. */
@Injectable()
export class ShutdownDeadline implements OnModuleDestroy {
  constructor(
    private readonly host: HttpAdapterHost,
    @Optional() private readonly node?: ThisNode,
    @Optional() private readonly settings?: ChannelsSettings,
  ) {}

  onModuleDestroy(): void {
    const server = this.host.httpAdapter.getHttpServer() as Server;
    // `server.close()` of Node and of Fastify calls this method, and has no option for its time.
    const closeIdle = server.closeIdleConnections.bind(server);
    server.closeIdleConnections = () => void setTimeout(closeIdle, lastWordMs).unref();
    // The connections keep the process alive for as long as the timer matters.
    setTimeout(() => server.closeAllConnections(), patienceMs + this.drainMs).unref();
  }

  /** While clients are being closed gradually, requests are still served; a worker has no clients. */
  private get drainMs(): number {
    return this.node && this.settings && this.node.others > 0 ? this.settings.drainSeconds * 1000 : 0;
  }
}
