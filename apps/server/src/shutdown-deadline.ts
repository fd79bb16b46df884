import { type BeforeApplicationShutdown, Injectable, type OnModuleDestroy } from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import { HttpPort } from 'rookery/internal/http';

/** How long a request in progress may take once the port is closed. */
const patienceMs = 6000;

/**
 * How long kept-alive connections have to send another request, whose answer then closes them, before the port is closed.
 * Closing them without an answer could reset a request on its way.
 */
const lastRequestMs = 500;

/** Lets requests finish during a shutdown, for a limited time. */
@Injectable()
export class ShutdownDeadline implements OnModuleDestroy, BeforeApplicationShutdown {
  constructor(private readonly host: HttpAdapterHost) {}

  onModuleDestroy(): void {
    const { server } = this;
    server.prependListener('request', (_: IncomingMessage, response: ServerResponse) => {
      response.setHeader('Connection', 'close');
    });
    HttpPort.of(server).onceClosing(() => {
      // For connections whose requests were in progress. They keep the process alive as long as the timers matter.
      setTimeout(() => server.closeIdleConnections(), lastRequestMs).unref();
      setTimeout(() => server.closeAllConnections(), patienceMs).unref();
    });
  }

  async beforeApplicationShutdown(): Promise<void> {
    if (this.server.listening) await delay(lastRequestMs);
  }

  private get server(): Server {
    return this.host.httpAdapter.getHttpServer() as Server;
  }
}
