import {
  connect,
  constants,
  type ClientHttp2Session,
  type ClientHttp2Stream,
  type IncomingHttpHeaders,
  type IncomingHttpStatusHeader,
} from 'node:http2';
import type { SecureContext } from 'node:tls';
import type { Exchange } from './exchange.js';
import { Silence } from './silence.js';
import { onceOpen, openSocket } from './socket.js';

export interface Http2ConnectionOptions {
  /** Whom to trust; connections that share it cost less. */
  readonly secureContext?: SecureContext;
  /** The most streams of ours on one connection; the peer's SETTINGS may allow fewer. */
  readonly streamsPerConnection: number;
  /** Whether one stream goes alone until an authenticated request has succeeded, as with Apple (beams-wire §11.1). */
  readonly provesItself: boolean;
  /** How long a request may wait for its answer, in milliseconds. */
  readonly timeoutMs: number;
  /** How long it may owe answers and give none before no more is asked of it, in milliseconds. @default 3000 */
  readonly patienceMs?: number;
  /** How often, in ms, it is pinged; one that leaves a ping unanswered until the next is given up. */
  readonly pingEveryMs: number;
  /** How long a connection is kept that nothing is sent on, in milliseconds. */
  readonly idleAfterMs: number;
}

/** What a connection tells the one who opened it. */
export interface Http2ConnectionOwner {
  /** There may be room for more, or none any more. */
  changed(): void;
  /** The peer did not take this exchange: it may be sent again elsewhere. */
  refused(exchange: Exchange): void;
  /** It ended; `fault` when it never was of use. */
  closed(connection: Http2Connection, fault?: string): void;
}

/** The fault of a host that chose another protocol. */
export const noHttp2 = 'NoHttp2';

type AnswerHeaders = IncomingHttpHeaders & IncomingHttpStatusHeader;

/** What a stream belongs to, so that the listeners of all streams are the same few functions. */
interface Stream extends ClientHttp2Stream {
  [owner]?: { readonly exchange: Exchange; readonly connection: Http2Connection };
}
const owner = Symbol('owner');

/** The exchanges of one HTTP/2 connection. */
export class Http2Connection {
  private readonly session: ClientHttp2Session;
  /** In the order of starting. */
  private readonly exchanges = new Set<Exchange>();
  private readonly timers: readonly NodeJS.Timeout[];
  private readonly silence: Silence;
  private inFlight = 0;
  /** Of a GOAWAY: later streams were not read. */
  private lastStreamId = Infinity;
  private greeted = false;
  private proven = false;
  private leaving = false;
  private pingPending = false;
  private usedAt = performance.now();
  private fault?: string;

  constructor(
    endpoint: URL,
    private readonly options: Http2ConnectionOptions,
    private readonly opener: Http2ConnectionOwner,
  ) {
    this.silence = new Silence(options.patienceMs);
    this.session = this.sessionTo(endpoint);
    this.session.on('remoteSettings', () => this.greet());
    this.session.on('goaway', (_code, lastStreamId) => this.goneAway(lastStreamId));
    this.session.on('error', (error: NodeJS.ErrnoException) => (this.fault ??= error.code ?? error.message));
    this.session.on('close', () => this.end());
    this.timers = [
      setInterval(() => this.ping(), options.pingEveryMs),
      setInterval(() => this.expire(), Math.min(1000, options.timeoutMs / 2)),
    ];
  }

  /** Whether it is not known yet that it will be of use. */
  get unproven(): boolean {
    return !this.proven && !this.leaving;
  }

  /** Whether it has owed answers for some time and given none, to anybody. */
  get isSilent(): boolean {
    return this.silence.isTooLong;
  }

  /** How many more streams may be opened: none before the peer's SETTINGS. */
  get room(): number {
    if (!this.usable) return 0;
    const allowed = this.session.remoteSettings.maxConcurrentStreams ?? Infinity;
    return Math.min(allowed, this.proven ? this.options.streamsPerConnection : 1) - this.inFlight;
  }

  start(exchange: Exchange): void {
    const { headers, path, body } = exchange.request;
    const stream: Stream = this.session.request(path === undefined ? headers : { ...headers, ':path': path });
    stream[owner] = { exchange, connection: this };
    stream.on('response', onResponse).on('error', onError).on('close', onClose);
    this.usedAt = performance.now();
    exchange.begin(stream, this.usedAt);
    this.exchanges.add(exchange);
    this.inFlight++;
    stream.end(body);
  }

  answered(exchange: Exchange, headers: AnswerHeaders): void {
    this.silence.hear();
    exchange.answered(Number(headers[':status']), headers['retry-after']);
    if (this.proven || headers[':status'] === 403) return;
    this.proven = true;
    this.opener.changed();
  }

  /** A stream without an answer: unread by the peer, it is sent again; else nobody knows, and later is better. */
  finished(exchange: Exchange, stream: ClientHttp2Stream): void {
    this.inFlight--;
    this.exchanges.delete(exchange);
    if (this.unread(stream) && exchange.mayBeResent()) this.opener.refused(exchange);
    else exchange.fail('ConnectionLost');
    this.opener.changed();
  }

  /**
   * Ends as soon as nothing is being read; what is in flight then fails. Whoever was just answered may call this while
   * node:http2 is still within the read that brought the answer: to destroy the session there corrupts the heap of
   * Node 20, and the process dies. No read is under way in a callback of setImmediate.
   */
  destroy(): void {
    setImmediate(() => this.session.destroy());
  }

  private sessionTo(endpoint: URL): ClientHttp2Session {
    const socket = openSocket(endpoint, this.options.secureContext);
    onceOpen(socket, (speaksHttp2) => {
      if (speaksHttp2) return;
      this.fault = noHttp2;
      this.destroy();
    });
    return connect(endpoint, {
      createConnection: () => socket,
      settings: { enablePush: false },
      // What is on its way to the peer, in MB.
      maxSessionMemory: 64,
    });
  }

  /** A session that was destroyed closes a little later. */
  private get usable(): boolean {
    return this.greeted && !this.leaving && !this.session.closed && !this.session.destroyed;
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
    // A request that was not written yet when the GOAWAY came is not always ended by node:http2, and would wait in vain.
    for (const { stream } of this.exchanges) if (stream && this.unread(stream)) stream.destroy();
  }

  private ping(): void {
    if (!this.usable) return;
    if (this.pingPending) return this.destroy();
    if (this.inFlight === 0 && performance.now() - this.usedAt >= this.options.idleAfterMs) return this.leave();
    this.pingPending = true;
    this.session.ping(() => (this.pingPending = false));
  }

  private leave(): void {
    this.leaving = true;
    this.session.close();
  }

  /** The set is in the order of starting, so the first that is young enough ends the search. */
  private expire(): void {
    const now = performance.now();
    const oldest = now - this.options.timeoutMs;
    this.silence.listen(now, !this.greeted || this.inFlight > 0);
    if (!this.greeted && this.usedAt < oldest) return this.destroy();
    for (const exchange of this.exchanges) {
      if (exchange.startedAt > oldest) return;
      exchange.fail('Timeout');
      exchange.stream?.close(constants.NGHTTP2_CANCEL);
    }
  }

  private end(): void {
    for (const timer of this.timers) clearInterval(timer);
    this.leaving = true;
    this.opener.closed(this, this.proven ? undefined : (this.fault ?? 'ConnectionClosed'));
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

/** 'close' follows and decides; without a listener the process would end. */
function onError(): void {}

function onClose(this: Stream): void {
  this[owner]?.connection.finished(this[owner].exchange, this);
}
