import { type BeforeApplicationShutdown, Injectable, Logger, type OnApplicationBootstrap } from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import type { Server } from 'node:http';
import { HttpPort } from '#http';
import { ChannelsSettings } from '../channels.options.js';

/** How long an application that has started may take to listen, in milliseconds. */
const patienceMs = 10_000;

/** The signals by which process managers end a process. */
const signals = ['SIGTERM', 'SIGINT'] as const;

/** The HTTP servers that clients connect to: the application's own, and others that it {@link attach}es. */
@Injectable()
export class HttpServers implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private readonly logger = new Logger('Channels');
  private readonly attached = new Set<Server>();
  private readonly uses: ((port: HttpPort) => void)[] = [];
  private patience: NodeJS.Timeout | undefined;

  constructor(
    private readonly host: HttpAdapterHost,
    private readonly settings: ChannelsSettings,
  ) {}

  /** The server of the application's platform. A worker-only process has none; the services work without it. */
  get own(): Server | undefined {
    return this.settings.serveRoutes ? (this.host.httpAdapter?.getHttpServer() as Server | undefined) : undefined;
  }

  /**
   * Accepts clients on a server that the application has made itself, as in `createServer(expressInstance)`. The
   * application listens with it, and closes it.
   */
  attach(server: Server): void {
    if (!this.own) throw new Error('ChannelsModule: serveRoutes is false, so no server can be attached');
    if (server === this.own || this.attached.has(server)) return;
    this.attached.add(server);
    for (const use of this.uses) use(HttpPort.of(server));
  }

  /** Calls back for each server, and for those that are attached later. */
  each(use: (port: HttpPort) => void): void {
    this.uses.push(use);
    for (const server of [this.own, ...this.attached]) if (server) use(HttpPort.of(server));
  }

  onApplicationBootstrap(): void {
    if (this.own) this.patience = setTimeout(() => this.warn(), patienceMs).unref();
  }

  beforeApplicationShutdown(): void {
    clearTimeout(this.patience);
  }

  private warn(): void {
    // An express instance serves HTTP on any server, but sockets come only to servers that are known here.
    if (!this.own?.listening && this.attached.size === 0)
      this.logger.warn(
        "No client can connect: the application's server does not listen. If you listen with another one, write " +
          'app.get(HttpServers).attach(server); in a process without clients, ChannelsModule.forRoot({ serveRoutes: false })',
      );
    else if (signals.every((signal) => process.listenerCount(signal) === 0))
      this.logger.warn(
        'No signal closes the application, so its clients break off (1006), and members leave late. ' +
          'Write app.enableShutdownHooks() in main.ts',
      );
  }
}
