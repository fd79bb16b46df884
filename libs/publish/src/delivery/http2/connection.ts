import {
  connect,
  constants,
  type ClientHttp2Session,
  type ClientHttp2Stream,
  type IncomingHttpHeaders,
  type IncomingHttpStatusHeader,
} from 'node:http2';
import type { Socket } from 'node:net';
import type { SecureContext } from 'node:tls';
import type { Exchange } from './exchange.js';
import { defaultPatienceMs, Silence } from './silence.js';
import { onceOpen, openSocket } from './socket.js';

export interface Http2ConnectionOptions {
  /** The trusted certificates; connections share the context because creating it is costly. */
  readonly secureContext?: SecureContext;
  /** The maximum number of concurrent streams per connection; the peer's SETTINGS may allow fewer. */
  readonly streamsPerConnection: number;
  /** Whether to send a single stream until an authenticated request has succeeded, as with Apple (beams-wire §11.1). */
  readonly provesItself: boolean;
  /** How long a request may wait for an answer, in milliseconds. */
  readonly timeoutMs: number;
  /** How long the peer may leave requests unanswered before it gets no new ones, in milliseconds. @default 3000 */
  readonly patienceMs?: number;
  /** How long a silent peer may take to answer a ping before its connection is cut, in ms. @default 5000 */
  readonly pongMs?: number;
  /** Ping interval in ms; closes a connection if a ping is still unanswered at the next one. */
  readonly pingEveryMs: number;
  /** How long to keep an idle connection, in milliseconds. */
  readonly idleAfterMs: number;
  /** How long a peer may take to hang up after the last answer of a connection that ends, in ms. @default 5000 */
  readonly lingerMs?: number;
}

/** The callbacks to the connection's owner. */
export interface Http2ConnectionOwner {
  /** The number of free streams changed. */
  changed(): void;
  /** The peer answers neither requests nor pings, so its connection is cut. */
  lost(): void;
  /** The peer did not process this exchange: it may be sent again elsewhere. */
  refused(exchange: Exchange): void;
  /** The connection ended; `fault` if it never became usable. */
  closed(connection: Http2Connection, fault?: string): void;
}

const defaultLingerMs = 5000;
const defaultPongMs = 5000;

/** The fault of a host that negotiated another protocol. */
export const noHttp2 = 'NoHttp2';

type AnswerHeaders = IncomingHttpHeaders & IncomingHttpStatusHeader;

/** Links a stream to its exchange, so that all streams share the same few listeners. */
interface Stream extends ClientHttp2Stream {
  [owner]?: { readonly exchange: Exchange; readonly connection: Http2Connection };
}
const owner = Symbol('owner');

/** The exchanges of one HTTP/2 connection. */
export class Http2Connection {
  private readonly socket: Socket;
  private readonly session: ClientHttp2Session;
  /** In starting order. */
  private readonly exchanges = new Set<Exchange>();
  private readonly timers: readonly NodeJS.Timeout[];
  private readonly silence: Silence;
  private inFlight = 0;
  /** From a GOAWAY: the peer did not read later streams. */
  private lastStreamId = Infinity;
  private greeted = false;
  private proven = false;
  private leaving = false;
  /** Since when a connection that ends has had no request in progress. */
  private doneAt?: number;
  private pingPending = false;
  /** When a silent peer was asked for a sign of life; absent once it has given one. */
  private probedAt?: number;
  private pongAt = -Infinity;
  /** Whether it ends because of a request of ours: the peer is well. */
  private faultless = false;
  private usedAt = performance.now();
  private fault?: string;

  /** @param through - a socket that a proxy has connected to the endpoint */
  constructor(
    endpoint: URL,
    private readonly options: Http2ConnectionOptions,
    private readonly opener: Http2ConnectionOwner,
    through?: Socket,
  ) {
    this.silence = new Silence(options.patienceMs);
    this.socket = openSocket(endpoint, options.secureContext, through);
    this.session = this.sessionTo(endpoint);
    this.session.on('remoteSettings', () => this.greet());
    this.session.on('goaway', (_code, lastStreamId) => this.goneAway(lastStreamId));
    this.session.on('error', (error: NodeJS.ErrnoException) => (this.fault ??= error.code ?? error.message));
    this.session.on('close', () => this.end());
    this.timers = [
      setInterval(() => this.ping(), options.pingEveryMs),
      setInterval(() => this.expire(), Math.min(1000, options.timeoutMs / 2, options.patienceMs ?? defaultPatienceMs)),
    ];
  }

  /** Whether it takes no more requests: the peer may still hold the socket open. */
  get isLeaving(): boolean {
    return this.leaving || this.session.closed || this.session.destroyed;
  }

  /** Whether no request has proven the connection usable yet. */
  get unproven(): boolean {
    return !this.proven && !this.isLeaving && !this.isDoubtful;
  }

  /** Whether all requests have been unanswered for some time. */
  get isSilent(): boolean {
    return this.silence.isTooLong;
  }

  /** Whether the peer is silent and has not answered the last ping yet: the connection may be broken. */
  get isDoubtful(): boolean {
    return this.probedAt !== undefined && this.silence.isTooLong;
  }

  /** How many more streams can be opened: none before the peer's SETTINGS. */
  get room(): number {
    if (!this.usable || this.isDoubtful) return 0;
    const allowed = this.session.remoteSettings.maxConcurrentStreams ?? Infinity;
    return Math.min(allowed, this.proven ? this.options.streamsPerConnection : 1) - this.inFlight;
  }

  start(exchange: Exchange): void {
    const { headers, path, body } = exchange.request;
    const stream: Stream = this.session.request(path === undefined ? headers : { ...headers, ':path': path });
    stream[owner] = { exchange, connection: this };
    stream.on('response', onResponse).on('frameError', onFrameError).on('error', onError).on('close', onClose);
    this.usedAt = performance.now();
    exchange.begin(stream, this.usedAt);
    this.exchanges.add(exchange);
    this.inFlight++;
    stream.end(body);
  }

  answered(exchange: Exchange, headers: AnswerHeaders): void {
    this.silence.hear();
    exchange.answered(
      Number(headers[':status']),
      headers['retry-after'],
      headers['apns-channel-id'] as string | undefined,
    );
    if (this.proven || headers[':status'] === 403) return;
    this.proven = true;
    this.opener.changed();
  }

  /**
   * node:http2 could not write the request: the request's fault, not the connection's. Node closes the connection to new
   * streams nevertheless; those in progress are answered.
   */
  unwritten(exchange: Exchange, code: number): void {
    this.faultless = true;
    if (code === constants.NGHTTP2_FRAME_SIZE_ERROR) exchange.refuse();
  }

  /** A stream ended without an answer: resends the request at once if the peer did not read it, otherwise later. */
  finished(exchange: Exchange, stream: ClientHttp2Stream): void {
    this.inFlight--;
    this.exchanges.delete(exchange);
    if (this.unread(stream) && exchange.mayBeResent()) this.opener.refused(exchange);
    else exchange.fail('ConnectionLost');
    this.opener.changed();
  }

  /**
   * Closes as soon as no read is in progress; pending requests then fail. The caller may have just received an answer
   * while node:http2 is still inside the read that delivered it: destroying the session there corrupts the heap of Node
   * 20, and the process crashes. No read is in progress in a callback of setImmediate.
   */
  destroy(): void {
    setImmediate(() => this.session.destroy());
  }

  private sessionTo(endpoint: URL): ClientHttp2Session {
    onceOpen(this.socket, (speaksHttp2) => {
      if (speaksHttp2) return;
      this.fault = noHttp2;
      this.destroy();
    });
    return connect(endpoint, {
      createConnection: () => this.socket,
      settings: { enablePush: false },
      // Outgoing data, in MB.
      maxSessionMemory: 64,
    });
  }

  private get usable(): boolean {
    return this.greeted && !this.isLeaving;
  }

  private unread(stream: ClientHttp2Stream): boolean {
    return (
      stream.id === undefined || stream.id > this.lastStreamId || stream.rstCode === constants.NGHTTP2_REFUSED_STREAM
    );
  }

  private greet(): void {
    this.greeted = true;
    this.silence.hear();
    this.proven ||= !this.options.provesItself;
    this.opener.changed();
  }

  private goneAway(lastStreamId: number): void {
    this.leaving = true;
    this.lastStreamId = lastStreamId;
    // node:http2 does not always end a request that was still unwritten at the GOAWAY; it would wait forever.
    for (const { stream } of this.exchanges) if (stream && this.unread(stream)) stream.destroy();
    this.opener.changed();
  }

  private ping(): void {
    if (!this.usable) return;
    if (this.pingPending) return this.destroy();
    if (this.inFlight === 0 && performance.now() - this.usedAt >= this.options.idleAfterMs) return this.leave();
    this.pingPending = true;
    this.session.ping(() => (this.pingPending = false));
  }

  /** A connection may break without a sign: only a ping tells it from a peer that is slow. */
  private probe(now: number): void {
    const { pongMs = defaultPongMs } = this.options;
    if (this.probedAt === undefined) {
      if (now - this.pongAt < pongMs) return;
      this.probedAt = now;
      this.session.ping(() => this.pong());
    } else if (now - this.probedAt >= pongMs) {
      this.leaving = true;
      this.opener.lost();
      this.destroy();
    }
  }

  private pong(): void {
    this.probedAt = undefined;
    this.pongAt = performance.now();
    this.opener.changed();
  }

  /** Takes no more requests, and ends once those in progress are answered. */
  leave(): void {
    this.leaving = true;
    this.session.close();
  }

  /** The set is in starting order, so the search ends at the first recent exchange. */
  private expire(): void {
    const now = performance.now();
    const oldest = now - this.options.timeoutMs;
    this.silence.listen(now, !this.greeted || this.inFlight > 0);
    if (!this.greeted && this.usedAt < oldest) return this.destroy();
    if (this.isLeaving && this.inFlight === 0) return this.hangUp(now);
    if (this.silence.isTooLong && this.usable) this.probe(now);
    for (const exchange of this.exchanges) {
      if (exchange.startedAt > oldest) return;
      exchange.fail('Timeout');
      exchange.stream?.close(constants.NGHTTP2_CANCEL);
    }
  }

  /** node:http2 waits for the peer to hang up, which may never happen. */
  private hangUp(now: number): void {
    this.doneAt ??= now;
    if (now - this.doneAt >= (this.options.lingerMs ?? defaultLingerMs)) this.socket.destroy();
  }

  private end(): void {
    for (const timer of this.timers) clearInterval(timer);
    this.leaving = true;
    this.opener.closed(this, this.proven || this.faultless ? undefined : (this.fault ?? 'ConnectionClosed'));
  }
}

function onResponse(this: Stream, headers: AnswerHeaders): void {
  this[owner]?.connection.answered(this[owner].exchange, headers);
  if (headers[':status'] === 200) this.resume();
  else this.on('data', onData).on('end', onEnd);
}

function onData(this: Stream, chunk: Buffer): void {
  const { exchange } = this[owner] ?? {};
  if (!exchange || exchange.read(chunk)) return;
  exchange.ended();
  this.close(constants.NGHTTP2_CANCEL);
}

function onEnd(this: Stream): void {
  this[owner]?.exchange.ended();
}

function onFrameError(this: Stream, _type: number, code: number): void {
  this[owner]?.connection.unwritten(this[owner].exchange, code);
}

/** 'close' follows and handles the error; without a listener, the process would crash. */
function onError(): void {}

function onClose(this: Stream): void {
  this[owner]?.connection.finished(this[owner].exchange, this);
}
