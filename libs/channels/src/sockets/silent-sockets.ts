import { Injectable, type OnModuleInit } from '@nestjs/common';
import type { Socket } from 'node:net';
import { HttpPort } from '#http';
import { ClientAddresses } from '../access/client-addresses.js';
import { Budgets } from '../connections/budgets.js';
import { ChannelsMetrics } from '../metrics.js';
import { HttpServers } from './http-servers.js';

const overCapacity =
  'HTTP/1.1 503 Service Unavailable\r\nRetry-After: 1\r\nContent-Length: 0\r\nConnection: close\r\n\r\n';

/**
 * Limits how many sockets of a network have sent no request yet, those in a TLS handshake included. Sockets of trusted
 * proxies are not counted.
 */
@Injectable()
export class SilentSockets implements OnModuleInit {
  constructor(
    private readonly servers: HttpServers,
    private readonly addresses: ClientAddresses,
    private readonly budgets: Budgets,
    private readonly metrics: ChannelsMetrics,
  ) {}

  onModuleInit(): void {
    this.servers.each((port) => port.onceAccepted((socket) => this.count(port, socket)));
  }

  private count(port: HttpPort, socket: Socket): void {
    const { remoteAddress = '' } = socket;
    const network = this.addresses.isProxy(remoteAddress) ? undefined : this.budgets.network(remoteAddress);
    if (!network) return;
    if (!network.take('silentSockets')) return port.whileSilent(socket, () => network.add('silentSockets', -1));
    this.metrics.limitReached('silentSocketsPerAddress');
    // Before its handshake, a client cannot read an answer.
    if (port.isSecure) return void socket.destroy();
    socket.write(overCapacity);
    socket.destroySoon();
  }
}
