import {
  connect,
  constants,
  type ClientHttp2Session,
  type ClientHttp2Stream,
  type IncomingHttpHeaders,
  type IncomingHttpStatusHeader,
} from 'node:http2';
import type { ApnsExchange } from './apns-exchange.js';

export interface ApnsConnectionOptions {
  /** PEM certificates to trust instead of Node's. */
  readonly ca?: string;
  /** The most streams of ours on one connection; the peer's SETTINGS may allow fewer. @default 250 */
  readonly streamsPerConnection: number;
  /** How long a request may wait for its answer, in milliseconds. @default 20000 */
  readonly timeoutMs: number;
  /** How often, in ms, it is pinged; one that leaves a ping unanswered until the next is given up. @default 60000 */
  readonly pingEveryMs: number;
  /** How long a connection is kept that nothing is sent on, in milliseconds. @default 3600000 */
  readonly idleAfterMs: number;
}

/** What a connection tells the one who opened it. */
export interface ApnsConnectionOwner {
  /** There may be room for more, or none any more. */
  changed(): void;
  /** The peer did not take this exchange: it may be sent again elsewhere. */
  refused(exchange: ApnsExchange): void;
  /** It ended; `fault` when it never was of use. */
  closed(connection: ApnsConnection, fault?: string): void;
}

type AnswerHeaders = IncomingHttpHeaders & IncomingHttpStatusHeader;

/** What a stream belongs to, so that the listeners of all streams are the same few functions. */
interface Stream extends ClientHttp2Stream {
  [owner]?: { readonly exchange: ApnsExchange; readonly connection: ApnsConnection };
}
const owner = Symbol('owner');

/** One HTTP/2 connection to APNs. */
export class ApnsConnection {
  inFlight = 0;
  private readonly session: ClientHttp2Session;
  private readonly exchanges = new Set<ApnsExchange>();
  private readonly timers: readonly NodeJS.Timeout[];
  /** Of a GOAWAY: later streams were not read. */
  private lastStreamId = Infinity;
  private greeted = false;
  private proven = false;
  private leaving = false;
  private pingPending = false;
  private usedAt = Date.now();
  private fault?: string;

  constructor(
    endpoint: string,
    private readonly options: ApnsConnectionOptions,
    private readonly opener: ApnsConnectionOwner,
  ) {
    const trusted = options.ca === undefined ? {} : { ca: options.ca };
    this.session = connect(endpoint, { ...trusted, settings: { enablePush: false }, maxSessionMemory: 64 });
    this.session.on('remoteSettings', () => this.greet());
    this.session.on('goaway', (_code, lastStreamId) => this.goneAway(lastStreamId));
    this.session.on('error', (error: NodeJS.ErrnoException) => (this.fault = error.code ?? error.message));
    this.session.on('close', () => this.end());
    this.timers = [
      setInterval(() => this.ping(), options.pingEveryMs),
      setInterval(() => this.expire(), Math.min(1000, options.timeoutMs / 2)),
    ];
  }

  /** Whether it is not known yet that it will be of use: no authenticated request has succeeded on it. */
  get unproven(): boolean {
    return !this.proven && !this.leaving;
  }

  /**
   * How many more streams may be opened: none before the peer's SETTINGS, one alone until an authenticated request has
   * succeeded (§11.1).
   */
  get room(): number {
    if (!this.usable) return 0;
    const allowed = this.session.remoteSettings.maxConcurrentStreams ?? Infinity;
    return Math.min(allowed, this.proven ? this.options.streamsPerConnection : 1) - this.inFlight;
  }

  start(exchange: ApnsExchange): void {
    const stream: Stream = this.session.request(exchange.request.headers);
    stream[owner] = { exchange, connection: this };
    stream.on('response', onResponse).on('error', onError).on('close', onClose);
    this.usedAt = Date.now();
    exchange.begin(stream, this.usedAt);
    this.exchanges.add(exchange);
    this.inFlight++;
    stream.end(exchange.request.body);
  }

  answered(exchange: ApnsExchange, headers: AnswerHeaders): void {
    exchange.answered(headers);
    if (this.proven || headers[':status'] === 403) return;
    this.proven = true;
    this.opener.changed();
  }

  /** A stream without an answer: unread by the peer, it is sent again; else nobody knows, and later is better. */
  finished(exchange: ApnsExchange, stream: ClientHttp2Stream): void {
    this.inFlight--;
    this.exchanges.delete(exchange);
    if (!exchange.settled && this.unread(stream) && exchange.mayBeResent()) this.opener.refused(exchange);
    else exchange.fail('ConnectionLost');
    this.opener.changed();
  }

  /** Ends at once; what is in flight fails. */
  destroy(): void {
    this.session.destroy();
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
    if (this.pingPending) return this.session.destroy();
    if (this.inFlight === 0 && Date.now() - this.usedAt >= this.options.idleAfterMs) return this.leave();
    this.pingPending = true;
    this.session.ping(() => (this.pingPending = false));
  }

  private leave(): void {
    this.leaving = true;
    this.session.close();
  }

  /** The set is in the order of starting, so the first that is young enough ends the search. */
  private expire(): void {
    const oldest = Date.now() - this.options.timeoutMs;
    if (!this.greeted && this.usedAt < oldest) return this.session.destroy();
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
  else this.setEncoding('utf8').on('data', onData).on('end', onEnd);
}

function onData(this: Stream, chunk: string): void {
  this[owner]?.exchange.read(chunk);
}

function onEnd(this: Stream): void {
  this[owner]?.exchange.ended();
}

/** 'close' follows and decides; without a listener the process would end. */
function onError(): void {}

function onClose(this: Stream): void {
  this[owner]?.connection.finished(this[owner].exchange, this);
}
