import { Injectable, Logger, type OnApplicationBootstrap, type OnApplicationShutdown } from '@nestjs/common';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { MetricsAddress } from './metrics-address.js';
import { MetricsToken, needsToken } from './metrics.guard.js';
import { MetricsService, metricsType } from './metrics.service.js';

/** Serves `GET /metrics` on a port of its own. Workers share it, and each of them answers for all. */
@Injectable()
export class MetricsPort implements OnApplicationBootstrap, OnApplicationShutdown {
  private readonly logger = new Logger('Server');
  private readonly server = createServer((request, response) => void this.answer(request, response));

  constructor(
    private readonly address: MetricsAddress,
    private readonly token: MetricsToken,
    private readonly metrics: MetricsService,
  ) {}

  /** @throws Error naming the variable */
  async onApplicationBootstrap(): Promise<void> {
    const { host, port } = this.address;
    this.server.listen(port, host);
    await once(this.server, 'listening').catch((error: unknown) => {
      throw new Error(`HOST, METRICS_PORT: ${(error as Error).message}`, { cause: error });
    });
  }

  onApplicationShutdown(): void {
    this.server.close();
    this.server.closeAllConnections();
  }

  get port(): number {
    return (this.server.address() as AddressInfo).port; // It listens on a port, not on a path.
  }

  private async answer({ method, url, headers }: IncomingMessage, response: ServerResponse): Promise<void> {
    const said = (status: number, text: string, type = 'text/plain; charset=utf-8'): void =>
      void response.writeHead(status, { 'content-type': type }).end(text);
    if (method !== 'GET' || !/^\/metrics(\?|$)/.test(url ?? '')) return said(404, 'Only GET /metrics is here\n');
    if (!this.token.admits(headers.authorization)) return said(401, `${needsToken}\n`);
    try {
      said(200, await this.metrics.text(), metricsType);
    } catch (error) {
      this.logger.warn(`The metrics cannot be read: ${String(error)}`);
      said(503, 'The metrics cannot be read\n');
    }
  }
}
