import { Logger } from '@nestjs/common';
import type { Socket } from 'node:net';
import { createSecureContext, type SecureContext } from 'node:tls';
import { type ProxyFailed, QuietCount } from '#common';
import { SendLater } from '../push.gateway.js';
import { Http2Connection, noHttp2, type Http2ConnectionOptions, type Http2ConnectionOwner } from './connection.js';
import { defaultPatienceMs } from './silence.js';
import { Tunnels } from './tunnels.js';
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
 * in order. A connection that breaks silently is replaced within seconds. While the endpoint is unreachable, requests fail
 * at once, with the time to wait until the next try; if it takes no request for twice `timeoutMs`, those that wait fail.
 */
export class Http2Pool implements Http2ConnectionOwner {
  private readonly logger = new Logger('PushGateways');
  /** All connections, until their sockets are closed. */
  private readonly open = new Set<Http2Connection>();
  private readonly endpoint: URL;
  private readonly tunnels: Tunnels;
  private secureContext?: SecureContext;
  private waiting: Exchange[] = [];
  private taken = 0;
  private failures = 0;
  private notBefore = 0;
  private closing = false;
  private watch?: NodeJS.Timeout;
  /** How often the watch has run since a request was last taken. */
  private runs = 0;
  private isStalled = false;
  /** Connections often break together. */
  private readonly losses = new QuietCount();

  /** Throws if `endpoint` is not a URL. */
  constructor(
    endpoint: string,
    private readonly options: Http2PoolOptions,
  ) {
    this.endpoint = new URL(endpoint);
    this.tunnels = new Tunnels(this.endpoint, options.timeoutMs);
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
      const { restMs } = this;
      if (restMs > 0) return exchange.fail('Unreachable', restMs);
      if (this.isSilent()) return exchange.fail('Unreachable (lately)', this.options.patienceMs ?? defaultPatienceMs);
      this.waiting.push(exchange);
      this.changed();
    });
  }

  /** Replaces the connections: those in use end once their requests are answered. */
  renew(): void {
    for (const connection of this.open) if (!connection.isLeaving) connection.leave();
  }

  /** Closes all connections; pending requests fail and can be retried. */
  close(): void {
    this.closing = true;
    for (const connection of this.open) connection.destroy();
    this.tunnels.close();
    clearInterval(this.watch);
    this.failWaiting(() => new SendLater('Closed'));
  }

  changed(): void {
    if (this.waiting.length === 0) return;
    const taken = this.taken;
    while (this.taken < this.waiting.length) {
      const connection = this.roomiest();
      if (!connection) break;
      connection.start(this.waiting[this.taken++]!);
    }
    if (this.taken > taken) this.moves();
    this.forgetTaken();
    if (this.waiting.length === 0) return;
    const { restMs } = this;
    if (restMs > 0) return this.failWaiting(() => new SendLater('Unreachable', restMs));
    this.watch ??= setInterval(() => this.expireWaiting(), this.watchMs);
    this.openAnother();
  }

  /** Requests in progress there fail, and are sent again later. */
  lost(): void {
    const { host } = this.endpoint;
    if (this.losses.add() > 0) this.logger.warn(`A connection to ${host} has broken silently: replacing it`);
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

  /** How long to wait until the next try to connect; 0 while there is a connection. */
  private get restMs(): number {
    if (this.notBefore === 0 || this.live > 0) return 0;
    return Math.max(0, this.notBefore - performance.now());
  }

  /** Another request to such a peer would only block a slot. */
  private isSilent(): boolean {
    let isSilent = false;
    for (const connection of this.open) {
      if (connection.isLeaving || connection.isDoubtful) continue;
      if (!connection.isSilent) return false;
      isSilent = true;
    }
    return isSilent;
  }

  /** The connections that take requests, or will once they are open. */
  private get live(): number {
    let live = 0;
    for (const connection of this.open) if (!connection.isLeaving && !connection.isDoubtful) live++;
    return live;
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
    const { connections } = this.options;
    if (this.closing || this.live >= connections || performance.now() < this.notBefore) return;
    // A peer that ends every connection and never hangs up gets no more until the first are cut.
    if (this.open.size >= 2 * connections) return;
    for (const connection of this.open) if (connection.unproven) return;
    if (this.tunnels.isOpening) return;
    this.tunnels.open(
      (through) => this.connect(through),
      (fault) => this.proxyFailed(fault),
    );
  }

  private connect(through: Socket | undefined): void {
    const { ca } = this.options;
    // Creating it reads all certificates, so it is created lazily and only once.
    const secureContext = (this.secureContext ??= createSecureContext(ca === undefined ? {} : { ca }));
    this.open.add(new Http2Connection(this.endpoint, { ...this.options, secureContext }, this, through));
  }

  private proxyFailed({ code, message }: ProxyFailed): void {
    if (this.failures === 0) this.logger.warn(`${this.endpoint.host} cannot be reached: ${message}`);
    this.backOff(code);
    this.changed();
  }

  private backOff(fault: string): void {
    const backoffMs = Math.min(firstBackoffMs * 2 ** this.failures++, longestBackoffMs);
    this.notBefore = performance.now() + backoffMs;
    const Later = fault === noHttp2 ? NoHttp2 : SendLater;
    if (this.live === 0) this.failWaiting(() => new Later(`Unreachable (${fault})`, backoffMs));
  }

  private get watchMs(): number {
    return Math.min(1000, this.options.timeoutMs / 2);
  }

  private moves(): void {
    this.runs = 0;
    this.isStalled = false;
  }

  /** Runs until no request waits. It counts its runs, because a busy process may not get to connect for some time. */
  private expireWaiting(): void {
    const isWaiting = this.waiting.length > this.taken;
    this.runs += 1;
    // Twice: a connection that is being opened is given up first.
    if (isWaiting && this.runs * this.watchMs < 2 * this.options.timeoutMs) return;
    clearInterval(this.watch);
    this.watch = undefined;
    this.runs = 0;
    if (isWaiting) this.stall();
  }

  private stall(): void {
    const seconds = (2 * this.options.timeoutMs) / 1000;
    const { host } = this.endpoint;
    if (!this.isStalled)
      this.logger.warn(`${host} has taken no request for ${seconds} s: those that wait are sent later`);
    this.isStalled = true;
    this.failWaiting(() => new SendLater('Unreachable (no stream)'));
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
