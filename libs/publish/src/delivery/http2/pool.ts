import { createSecureContext, type SecureContext } from 'node:tls';
import { SendLater } from '../push.gateway.js';
import { Http2Connection, noHttp2, type Http2ConnectionOptions, type Http2ConnectionOwner } from './connection.js';
import { defaultPatienceMs } from './silence.js';
import { Exchange, hasLargeHead, headTooLarge, type PushAnswer, type PushRequest } from './exchange.js';

export interface Http2PoolOptions extends Omit<Http2ConnectionOptions, 'secureContext'> {
  /** PEM certificates to trust instead of Node's. */
  readonly ca?: string;
  /** The maximum number of simultaneous connections. */
  readonly connections: number;
}

/** The host answers, but not over HTTP/2. Nothing was sent. */
export class NoHttp2 extends SendLater {}

const firstBackoffMs = 200;
const longestBackoffMs = 30_000;

/**
 * The HTTP/2 connections to one endpoint. It opens a connection when the open ones are full; requests wait for capacity
 * in order. While the endpoint is unreachable, requests fail at once, with the time to wait until the next try.
 */
export class Http2Pool implements Http2ConnectionOwner {
  private readonly open = new Set<Http2Connection>();
  private readonly endpoint: URL;
  private secureContext?: SecureContext;
  private waiting: Exchange[] = [];
  private taken = 0;
  private failures = 0;
  private notBefore = 0;
  private closing = false;

  /** Throws if `endpoint` is not a URL. */
  constructor(
    endpoint: string,
    private readonly options: Http2PoolOptions,
  ) {
    this.endpoint = new URL(endpoint);
  }

  /**
   * Throws SendLater if no answer arrives, and NoHttp2 if the host does not speak HTTP/2. A request with too large a
   * head is not sent, but answered 431.
   */
  request(request: PushRequest): Promise<PushAnswer> {
    if (hasLargeHead(request)) return Promise.resolve(headTooLarge);
    return new Promise((resolve, reject) => {
      const exchange = new Exchange(request, resolve, reject);
      if (this.closing) return exchange.fail('Closed');
      if (this.open.size === 0 && this.notBefore > performance.now())
        return exchange.fail('Unreachable', this.notBefore - performance.now());
      if (this.isSilent()) return exchange.fail('Unreachable (lately)', this.options.patienceMs ?? defaultPatienceMs);
      this.waiting.push(exchange);
      this.changed();
    });
  }

  /** Closes all connections; pending requests fail and can be retried. */
  close(): void {
    this.closing = true;
    for (const connection of this.open) connection.destroy();
    this.failWaiting(() => new SendLater('Closed'));
  }

  changed(): void {
    if (this.waiting.length === 0) return;
    while (this.taken < this.waiting.length) {
      const connection = this.roomiest();
      if (!connection) break;
      connection.start(this.waiting[this.taken++]!);
    }
    this.forgetTaken();
    if (this.waiting.length > 0) this.openAnother();
  }

  refused(exchange: Exchange): void {
    if (this.closing) exchange.fail('Closed');
    else this.waiting.push(exchange);
  }

  closed(connection: Http2Connection, fault?: string): void {
    this.open.delete(connection);
    if (fault === undefined) this.failures = 0;
    else this.backOff(fault);
    this.changed();
  }

  /** Another request to such a peer would only block a slot. */
  private isSilent(): boolean {
    for (const connection of this.open) if (!connection.isSilent) return false;
    return this.open.size > 0;
  }

  private roomiest(): Http2Connection | undefined {
    let best: Http2Connection | undefined;
    let most = 0;
    for (const connection of this.open) {
      const { room } = connection;
      if (room > most) [best, most] = [connection, room];
    }
    return best;
  }

  /** Opens one connection at a time, because the number of streams it allows is unknown until it is open. */
  private openAnother(): void {
    if (this.closing || this.open.size >= this.options.connections || performance.now() < this.notBefore) return;
    for (const connection of this.open) if (connection.unproven) return;
    const { ca } = this.options;
    // Creating it reads all certificates, so it is created lazily and only once.
    const secureContext = (this.secureContext ??= createSecureContext(ca === undefined ? {} : { ca }));
    this.open.add(new Http2Connection(this.endpoint, { ...this.options, secureContext }, this));
  }

  private backOff(fault: string): void {
    const backoffMs = Math.min(firstBackoffMs * 2 ** this.failures++, longestBackoffMs);
    this.notBefore = performance.now() + backoffMs;
    const Later = fault === noHttp2 ? NoHttp2 : SendLater;
    if (this.open.size === 0) this.failWaiting(() => new Later(`Unreachable (${fault})`, backoffMs));
  }

  private failWaiting(error: () => SendLater): void {
    const waiting = this.waiting.slice(this.taken);
    this.waiting = [];
    this.taken = 0;
    for (const exchange of waiting) exchange.failWith(error());
  }

  /** Removing from the front of an array moves the rest, so it happens rarely. */
  private forgetTaken(): void {
    if (this.taken < this.waiting.length && this.taken < 1024) return;
    this.waiting.splice(0, this.taken);
    this.taken = 0;
  }
}
