import { Injectable, type OnModuleDestroy } from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import type { Server } from 'node:http';

/** How long a request that is under way may take when the server shuts down. */
const patienceMs = 10_000;

/** Ends what holds up a shutdown: requests are answered to their end, but a client that never finishes one is not awaited. */
@Injectable()
export class ShutdownDeadline implements OnModuleDestroy {
  constructor(private readonly host: HttpAdapterHost) {}

  onModuleDestroy(): void {
    const server = this.host.httpAdapter.getHttpServer() as Server;
    // The connections keep the process alive for as long as the timer matters.
    setTimeout(() => server.closeAllConnections(), patienceMs).unref();
  }
}
