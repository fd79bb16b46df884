import { Injectable, type OnModuleDestroy, Optional } from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import type { Server } from 'node:http';
import { ChannelsSettings } from 'rookery/channels';
import { ThisNode } from 'rookery/common';

/** How long a request that is under way may take when the server shuts down. */
const patienceMs = 10_000;

/**
 * How long connections that are kept alive have to bring another request when the port is closed: it is answered 503, with
 * `Connection: close`. Closed at once, they would be reset below a request that is on its way.
 */
const lastWordMs = 500;

/** Ends what holds up a shutdown: requests are answered to their end, but a client that never finishes one is not awaited. */
@Injectable()
export class ShutdownDeadline implements OnModuleDestroy {
  constructor(
    private readonly host: HttpAdapterHost,
    @Optional() private readonly node?: ThisNode,
    @Optional() private readonly settings?: ChannelsSettings,
  ) {}

  onModuleDestroy(): void {
    const server = this.host.httpAdapter.getHttpServer() as Server;
    // `server.close()` of Node and of Fastify calls this, and has no option for when.
    const closeIdle = server.closeIdleConnections.bind(server);
    server.closeIdleConnections = () => void setTimeout(closeIdle, lastWordMs).unref();
    // The connections keep the process alive for as long as the timer matters.
    setTimeout(() => server.closeAllConnections(), patienceMs + this.drainMs).unref();
  }

  /** As long as clients are sent away, requests are still served; a worker has none. */
  private get drainMs(): number {
    return this.node && this.settings && this.node.others > 0 ? this.settings.drainSeconds * 1000 : 0;
  }
}
