import { createServer as createHttp1, type IncomingMessage, type ServerResponse } from 'node:http';
import { performServerHandshake, type IncomingHttpHeaders, type ServerHttp2Stream } from 'node:http2';
import type { Socket } from 'node:net';
import { createServer as createTls, type TLSSocket } from 'node:tls';
import { localhost } from '../tls/index.js';
import { listen } from './listen.js';

/** One answer of a stand-in that speaks HTTP. A body that is no text goes out as JSON. */
export type HttpAnswer =
  | {
      readonly status: number;
      readonly body?: unknown;
      readonly headers?: Record<string, string>;
      readonly delayMs?: number;
    }
  /** The connection is cut without a word. */
  | { readonly hangUp: true }
  /** No answer ever comes. */
  | { readonly silence: true };

/** A request that has come in, whichever HTTP it came by. */
export interface Taken {
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
  answer(answer: HttpAnswer): void;
}

export interface Served {
  readonly url: string;
  readonly sockets: ReadonlySet<Socket>;
  close(): Promise<void>;
}

export interface ServeOptions {
  /** Whether it speaks HTTP/2, with as many streams as Google allows, besides HTTP/1.1. */
  readonly http2: boolean;
  /** Waits before each answer that does not say so itself, as a network would. @default 0 */
  readonly delayMs?: number;
}

/** Listens on localhost, over TLS, and hands each whole request to `takeNow`. */
export async function serve(takeNow: (request: Taken) => void, { http2, delayMs }: ServeOptions): Promise<Served> {
  const take = (request: Taken) => takeNow({ ...request, answer: delayed(request.answer, delayMs) });
  const http1 = createHttp1({ keepAliveTimeout: 60_000 }, (request, response) => takeHttp1(request, response, take));
  const server = createTls({ ...localhost, ALPNProtocols: http2 ? ['h2', 'http/1.1'] : ['http/1.1'] });
  server.on('tlsClientError', () => {});
  server.on('secureConnection', (socket) => {
    if (socket.alpnProtocol === 'h2') welcome(socket, take);
    else http1.emit('connection', socket);
  });
  const { port, sockets, close } = await listen(server);
  return { url: `https://localhost:${port}`, sockets, close };
}

function delayed(answer: Taken['answer'], usualMs = 0): Taken['answer'] {
  return (given) => {
    const delayMs = ('delayMs' in given && given.delayMs) || usualMs;
    if (delayMs > 0) setTimeout(() => answer(given), delayMs);
    else answer(given);
  };
}

function takeHttp1(request: IncomingMessage, response: ServerResponse, take: (request: Taken) => void): void {
  const answer = (given: HttpAnswer) => {
    if ('hangUp' in given) response.socket?.destroy();
    if (!('status' in given)) return;
    const { body, headers } = written(given);
    response.writeHead(given.status, { 'content-length': Buffer.byteLength(body), ...headers }).end(body);
  };
  whole(request, (body) => take({ path: request.url ?? '', headers: request.headers, body, answer }));
}

function welcome(socket: TLSSocket, take: (request: Taken) => void): void {
  const session = performServerHandshake(socket, { settings: { maxConcurrentStreams: 100 } });
  session.on('error', () => {});
  session.on('stream', (stream: ServerHttp2Stream, headers: IncomingHttpHeaders) => {
    stream.on('error', () => {});
    const answer = (given: HttpAnswer) => {
      if ('hangUp' in given) socket.destroy();
      if (!('status' in given) || stream.destroyed || stream.closed) return;
      const { body: text, headers: fields } = written(given);
      stream.respond({ ':status': given.status, ...fields });
      stream.end(text);
    };
    whole(stream, (body) => take({ path: String(headers[':path']), headers, body, answer }));
  });
}

function whole(stream: NodeJS.ReadableStream, done: (body: Buffer) => void): void {
  const chunks: Buffer[] = [];
  stream.on('data', (chunk: Buffer) => chunks.push(chunk));
  stream.on('end', () => done(chunks.length === 1 ? chunks[0]! : Buffer.concat(chunks)));
}

function written({ body = '', headers }: Extract<HttpAnswer, { status: number }>) {
  if (typeof body === 'string') return { body, headers };
  return { body: JSON.stringify(body), headers: { 'content-type': 'application/json', ...headers } };
}
