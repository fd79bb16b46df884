import type { SecureContext } from 'node:tls';
import { BodySender } from './body-sender.js';
import type { Exchange } from './exchange.js';
import { errorCode, lastPossibleStreamId, setting } from './frames.js';
import type { Field } from './hpack/static-table.js';
import { Http2Session, type SessionEvents } from './session.js';

export interface Http2ConnectionOptions {
  /** Whom to trust; connections that share it cost less. */
  readonly secureContext?: SecureContext;
  /** The most streams of ours on one connection; the peer's SETTINGS may allow fewer. */
  readonly streamsPerConnection: number;
  /** Whether one stream goes alone until an authenticated request has succeeded, as Apple wants it (§11.1). */
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

/** Longer than an answer takes, and short enough that senders who wait are not many. */
export const defaultPatienceMs = 3000;

/** What a connection tells the one who opened it. */
export interface Http2ConnectionOwner {
  /** There may be room for more, or none any more. */
  changed(): void;
  /** The peer did not take this exchange: it may be sent again elsewhere. */
  refused(exchange: Exchange): void;
  /** It ended; `fault` when it never was of use. */
  closed(connection: Http2Connection, fault?: string): void;
}

/**
 * The exchanges of one HTTP/2 connection. It costs a fraction of node:http2 for each of them: no stream objects, the
 * headers that requests share encoded once, and one write for all that is due in a turn of the event loop.
 */
export class Http2Connection implements SessionEvents {
  private readonly session: Http2Session;
  private readonly bodies: BodySender;
  /** By stream, in the order of starting. */
  private readonly exchanges = new Map<number, Exchange>();
  private readonly timers: readonly NodeJS.Timeout[];
  private nextStreamId = 1;
  /** Later streams have not left this process. */
  private flushedStreamId = 0;
  /** Of a GOAWAY: later streams were not read. */
  private lastStreamId = Infinity;
  private allowedStreams = Infinity;
  private greeted = false;
  private proven = false;
  private leaving = false;
  /** Whether it has owed answers for some time and given none, to anybody. */
  isSilent = false;
  private heard = true;
  private quietFrom = Date.now();
  private usedAt = Date.now();

  constructor(
    endpoint: URL,
    private readonly options: Http2ConnectionOptions,
    private readonly opener: Http2ConnectionOwner,
  ) {
    this.session = new Http2Session(endpoint, options.secureContext, this);
    this.bodies = new BodySender(this.session.writer);
    this.timers = [
      setInterval(() => this.ping(), options.pingEveryMs),
      setInterval(() => this.expire(), Math.min(1000, options.timeoutMs / 2)),
    ];
  }

  /** Whether it is not known yet that it will be of use. */
  get unproven(): boolean {
    return !this.proven && !this.leaving;
  }

  /** How many more streams may be opened: none before the peer's SETTINGS, nor while earlier bodies are held up. */
  get room(): number {
    if (!this.greeted || this.leaving || this.bodies.isHeldUp || !this.session.isOpen) return 0;
    return Math.min(this.allowedStreams, this.proven ? this.options.streamsPerConnection : 1) - this.exchanges.size;
  }

  start(exchange: Exchange): void {
    const streamId = this.nextStreamId;
    const { headers, path, body } = exchange.request;
    this.nextStreamId += 2;
    if (this.nextStreamId > lastPossibleStreamId) this.leaving = true;
    this.usedAt = Date.now();
    this.exchanges.set(streamId, exchange);
    exchange.begin(streamId, this.usedAt);
    this.session.writer.request(streamId, headers, path, body.length === 0);
    this.bodies.begin(exchange);
  }

  /** Ends at once; what is in flight fails. */
  destroy(): void {
    this.session.destroy();
  }

  settings(values: ReadonlyMap<number, number>): void {
    this.allowedStreams = values.get(setting.maxConcurrentStreams) ?? this.allowedStreams;
    const window = values.get(setting.initialWindowSize);
    if (window !== undefined) this.bodies.allow(window);
    this.greeted = true;
    this.hear();
    this.proven ||= !this.options.provesItself;
    this.opener.changed();
  }

  headers(streamId: number, fields: readonly Field[], endStream: boolean): void {
    this.hear();
    const exchange = this.exchanges.get(streamId);
    if (!exchange) return;
    const status = Number(valueOf(fields, ':status') ?? 0);
    // Without a status they are trailers; 1xx only announces the answer.
    if (status >= 200) this.answered(exchange, status, valueOf(fields, 'retry-after'));
    if (endStream) this.finish(exchange);
  }

  data(streamId: number, bytes: Buffer, endStream: boolean): void {
    const exchange = this.exchanges.get(streamId);
    if (!exchange) return;
    const wantsMore = exchange.read(bytes);
    if (!wantsMore && !endStream) this.session.writer.reset(streamId, errorCode.cancel);
    if (!wantsMore || endStream) this.finish(exchange);
  }

  /** Unread by the peer, it is sent again; else nobody knows, and later is better. */
  reset(streamId: number, code: number): void {
    const exchange = this.exchanges.get(streamId);
    if (!exchange) return;
    this.forget(exchange);
    if (code === errorCode.refusedStream) this.resend(exchange);
    else exchange.fail('ConnectionLost');
    this.opener.changed();
  }

  goaway(lastStreamId: number): void {
    this.leaving = true;
    this.lastStreamId = lastStreamId;
    for (const exchange of this.exchanges.values()) if (this.unread(exchange)) this.resend(this.forget(exchange));
    this.opener.changed();
    if (this.exchanges.size === 0) this.session.end();
  }

  window(streamId: number, bytes: number): void {
    if (streamId === 0) this.bodies.widen(bytes);
    else if (this.exchanges.has(streamId)) this.bodies.widenStream(this.exchanges.get(streamId)!, bytes);
    this.opener.changed();
  }

  flushed(): void {
    this.flushedStreamId = this.nextStreamId - 2;
  }

  closed(fault?: string): void {
    for (const timer of this.timers) clearInterval(timer);
    this.leaving = true;
    for (const exchange of this.exchanges.values())
      if (this.unread(exchange)) this.resend(exchange);
      else exchange.fail('ConnectionLost');
    this.exchanges.clear();
    this.opener.closed(this, this.proven ? undefined : (fault ?? 'ConnectionClosed'));
  }

  private answered(exchange: Exchange, status: number, retryAfter: string | undefined): void {
    exchange.answered(status, retryAfter);
    if (this.proven || status === 403) return;
    this.proven = true;
    this.opener.changed();
  }

  private finish(exchange: Exchange): void {
    // A peer may answer before it has read all.
    if (!exchange.isSent) this.session.writer.reset(exchange.streamId, errorCode.cancel);
    this.forget(exchange).ended();
    this.opener.changed();
    if (this.leaving && this.exchanges.size === 0) this.session.end();
  }

  private forget(exchange: Exchange): Exchange {
    this.exchanges.delete(exchange.streamId);
    this.bodies.forget(exchange);
    return exchange;
  }

  private resend(exchange: Exchange): void {
    if (exchange.mayBeResent()) this.opener.refused(exchange);
    else exchange.fail('ConnectionLost');
  }

  private unread({ streamId }: Exchange): boolean {
    return streamId > this.lastStreamId || streamId > this.flushedStreamId;
  }

  private ping(): void {
    if (!this.greeted || this.leaving) return;
    if (this.exchanges.size === 0 && Date.now() - this.usedAt >= this.options.idleAfterMs) return this.leave();
    if (!this.session.ping()) this.session.destroy();
  }

  private leave(): void {
    this.leaving = true;
    this.session.end();
  }

  private hear(): void {
    this.heard = true;
    this.isSilent = false;
  }

  private listen(now: number): void {
    const owes = !this.greeted || this.exchanges.size > 0;
    if (this.heard || !owes) this.quietFrom = now;
    this.heard = false;
    this.isSilent = now - this.quietFrom >= (this.options.patienceMs ?? defaultPatienceMs);
  }

  /** They are in the order of starting, so the first that is young enough ends the search. */
  private expire(): void {
    const now = Date.now();
    const oldest = now - this.options.timeoutMs;
    this.listen(now);
    if (!this.greeted && this.usedAt < oldest) return this.session.destroy();
    for (const exchange of this.exchanges.values()) {
      if (exchange.startedAt > oldest) break;
      this.session.writer.reset(exchange.streamId, errorCode.cancel);
      this.forget(exchange).fail('Timeout');
    }
    this.opener.changed();
    if (this.leaving && this.exchanges.size === 0) this.session.end();
  }
}

function valueOf(fields: readonly Field[], wanted: string): string | undefined {
  for (const [name, value] of fields) if (name === wanted) return value;
  return undefined;
}
