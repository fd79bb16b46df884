import { Injectable, type OnModuleInit } from '@nestjs/common';
import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import { ChannelsSettings } from '../channels.options.js';
import type { Encoding } from '../connections/transport.js';
import { acceptDeflate, deflatedEncoding } from '../connections/websocket/deflate.js';
import { closeFrame, textFrame } from '../connections/websocket/frame-encoder.js';
import { acceptHandshake, badHandshake, offersWebSocket } from '../connections/websocket/handshake.js';
import { WebSocketTransport } from '../connections/websocket/websocket.transport.js';
import * as frames from '../protocol/frames.js';
import { ProtocolError } from '../protocol/protocol-error.js';
import { type ConnectionRequest, connectionRequest } from './connection-request.js';
import { ClientShutdown } from './client-shutdown.js';
import { ConnectionsService } from './connections.service.js';
import { HttpServers } from './http-servers.js';

/** How long a client may take to close the socket itself. */
const patienceMs = 2000;

/** The answer of a process whose clients move to others: a proxy tries the next one. */
const elsewhere =
  'HTTP/1.1 503 Service Unavailable\r\nRetry-After: 1\r\nConnection: close\r\nContent-Length: 0\r\n\r\n';

/** Writes a last message and closes the socket, even when the client neither closes it nor stops sending. */
function hangUp(socket: Socket, lastWords: Buffer | string): void {
  const timer = setTimeout(() => socket.destroy(), patienceMs).unref();
  socket.once('close', () => clearTimeout(timer));
  socket.end(lastWords);
  socket.resume();
}

/**
 * Serves `/app/<key>` on the application's HTTP servers and leaves every other path to the host: its own `ws` or
 * socket.io gateway works on the same port, whichever adapter it uses.
 */
@Injectable()
export class SocketServer implements OnModuleInit {
  /** Of clients that offer compression, where it is on. */
  private readonly deflated: Encoding | undefined;

  constructor(
    private readonly connections: ConnectionsService,
    private readonly shutdown: ClientShutdown,
    private readonly servers: HttpServers,
    private readonly settings: ChannelsSettings,
  ) {
    const { compressFromBytes } = settings;
    if (compressFromBytes > 0) this.deflated = deflatedEncoding(compressFromBytes);
  }

  onModuleInit(): void {
    this.servers.each((port) =>
      port.serveUpgrades({
        wants: ({ headers }) => offersWebSocket(headers),
        serve: (request, socket, head, isLast) => this.serve(request, socket, head, isLast),
      }),
    );
  }

  /**
   * @returns whether the request is ours; with `isLast`, paths without a server are ours too and are refused with 4005
   */
  private serve(request: IncomingMessage, socket: Socket, head: Buffer, isLast: boolean): boolean {
    const { path, strictProtocol } = this.settings;
    const asked = connectionRequest(request.url ?? '', path, strictProtocol);
    if (!asked && !isLast) return false;
    socket.on('error', () => socket.destroy());
    const extension = this.deflated && acceptDeflate(request.headers);
    const handshake = acceptHandshake(request, extension);
    if (handshake === undefined) hangUp(socket, badHandshake);
    else if (!asked) this.turnAway(socket, handshake, ProtocolError.pathNotFound(), 7);
    else void this.connect(request, asked, socket, head, handshake, extension ? this.deflated : undefined);
    return true;
  }

  private async connect(
    request: IncomingMessage,
    asked: ConnectionRequest,
    socket: Socket,
    head: Buffer,
    handshake: string,
    encoding: Encoding | undefined,
  ): Promise<void> {
    const app = await this.connections.check(asked, request);
    if (app instanceof ProtocolError && this.shutdown.movesClients) return hangUp(socket, elsewhere);
    if (app instanceof ProtocolError) return this.turnAway(socket, handshake, app, asked.protocol);
    if (socket.destroyed) return;
    const opening = Buffer.from(handshake, 'latin1');
    const transport = new WebSocketTransport(socket, this.settings.limits.messageBytes, encoding, opening);
    transport.attach(this.connections.open(app, asked, transport, request), head);
  }

  // A refusal is sent on an open WebSocket, not as an HTTP error (channels-wire §1.5).
  private turnAway(socket: Socket, handshake: string, error: ProtocolError, protocol: number): void {
    const errorFrames = error.isSentBeforeClose(protocol) ? [textFrame(frames.error(error))] : [];
    hangUp(
      socket,
      Buffer.concat([Buffer.from(handshake), ...errorFrames, closeFrame(error.code ?? 1000, error.message)]),
    );
  }
}
