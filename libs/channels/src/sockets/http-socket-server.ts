import { Injectable, type OnApplicationShutdown, type OnModuleInit } from '@nestjs/common';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { BodyTooLarge, readBody } from 'rookery/common';
import { ChannelsSettings } from '../channels.options.js';
import { HttpAnswer } from '../connections/http/answer.js';
import { closed, httpEncoding, opened } from '../connections/http/http-encoding.js';
import { HttpTransport } from '../connections/http/http.transport.js';
import * as frames from '../protocol/frames.js';
import { ProtocolError } from '../protocol/protocol-error.js';
import { ConnectionsService } from './connections.service.js';
import { type HttpRequest, httpRequest } from './http-request.js';
import { interceptRequests } from './requests.js';

const wordMs = 25_000;
const longestRoundMs = 1000;
const shortestRoundMs = 50;

/** Any page may ask: which origins an app allows is told in the answer, as over WebSockets (channels-wire §11). */
const preflight = {
  'access-control-allow-origin': '*',
  'access-control-allow-methods': 'POST',
  'access-control-allow-headers': 'Content-Type',
  'access-control-max-age': '86400',
};

/**
 * Serves connections over plain HTTP requests, below `/pusher/app/<key>`, for clients whose network breaks WebSockets
 * (channels-wire §11).
 */
@Injectable()
export class HttpSocketServer implements OnModuleInit, OnApplicationShutdown {
  private readonly transports = new Map<string, HttpTransport>();
  private rounds: NodeJS.Timeout | undefined;

  constructor(
    private readonly connections: ConnectionsService,
    private readonly settings: ChannelsSettings,
  ) {}

  onModuleInit(): void {
    const { server } = this.connections;
    if (!server) return;
    interceptRequests(server, (request, response) => this.serve(request, response));
    this.rounds = setInterval(() => this.round(), this.roundMs).unref();
  }

  onApplicationShutdown(): void {
    clearInterval(this.rounds);
  }

  private serve(request: IncomingMessage, response: ServerResponse): boolean {
    const { method } = request;
    if (method !== 'POST' && method !== 'OPTIONS') return false;
    const asked = httpRequest(request.url ?? '', this.settings.path, this.settings.strictProtocol);
    if (!asked) return false;
    // The client may go at any time.
    response.on('error', () => {});
    if (method === 'OPTIONS') response.writeHead(204, preflight).end();
    else if (asked.purpose === 'send') void this.send(asked, request, response);
    else void this.receive(asked, request, response);
    return true;
  }

  private async receive(http: HttpRequest, request: IncomingMessage, response: ServerResponse): Promise<void> {
    // Nothing is in it; but what is not read would stand before the next request of this connection.
    request.resume();
    const transport = this.transports.get(nameOf(http)) ?? (await this.open(http, request));
    if (transport instanceof ProtocolError) return refuse(response, transport, http.asked.protocol);
    if (response.destroyed) return;
    const answer = new HttpAnswer(response, http.purpose === 'stream');
    response.on('close', () => transport.left(answer));
    transport.receive(answer);
  }

  private async open(http: HttpRequest, request: IncomingMessage): Promise<HttpTransport | ProtocolError> {
    const app = await this.connections.check(http.asked, request);
    if (app instanceof ProtocolError) return app;
    const name = nameOf(http);
    const known = this.transports.get(name);
    if (known) return known;
    const transport = new HttpTransport(this.settings.limits.messageBytes, this.patience, () =>
      this.transports.delete(name),
    );
    this.transports.set(name, transport);
    transport.attach(this.connections.open(app, http.asked, transport, request));
    return transport;
  }

  private async send(http: HttpRequest, request: IncomingMessage, response: ServerResponse): Promise<void> {
    const transport = this.transports.get(nameOf(http));
    await transport?.readable();
    readBody(request, this.settings.limits.requestBytes, (body, isUnread) => {
      if (isUnread) response.setHeader('connection', 'close');
      if (!transport) return reply(response, 404, 'There is no such connection');
      if (body instanceof BodyTooLarge) {
        transport.saidTooMuch();
        return reply(response, 413, body.message);
      }
      const texts = body instanceof Error ? undefined : textsIn(body);
      if (!texts) return reply(response, 400, 'A JSON array of texts is expected');
      transport.said(texts);
      reply(response, 204);
    });
  }

  private round(): void {
    for (const transport of this.transports.values()) transport.round();
  }

  private get roundMs(): number {
    const shortest = (this.settings.pongTimeoutSeconds * 1000) / 4;
    return Math.min(Math.max(shortest, shortestRoundMs), longestRoundMs);
  }

  private get patience() {
    const { roundMs } = this;
    return {
      wordRounds: Math.ceil(wordMs / roundMs),
      goneRounds: Math.ceil((this.settings.pongTimeoutSeconds * 1000) / roundMs),
    };
  }
}

/** No two connections have the same: a key has no slash. */
const nameOf = ({ asked, id }: HttpRequest): string => `${asked.key}/${id}`;

/** As over WebSockets, a refusal is said on an open connection (§1.5). */
function refuse(response: ServerResponse, error: ProtocolError, protocol: number): void {
  const told = protocol < 6 ? [httpEncoding.encode(frames.error(error))] : [];
  new HttpAnswer(response, false).end(Buffer.concat([opened, ...told, closed(error.code ?? 1000, error.message)]));
}

function reply(response: ServerResponse, status: number, text = ''): void {
  const body = text && JSON.stringify({ error: text });
  response.writeHead(status, {
    'access-control-allow-origin': '*',
    ...(body && { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) }),
  });
  response.end(body);
}

function textsIn(body: Buffer): readonly string[] | undefined {
  try {
    const texts: unknown = JSON.parse(body.toString());
    return Array.isArray(texts) && texts.every((text) => typeof text === 'string') ? texts : undefined;
  } catch {
    // Answered by the caller like any body that is not an array.
    return undefined;
  }
}
