import { ApnsConnection, type ApnsConnectionOptions, type ApnsConnectionOwner } from './apns-connection.js';
import { ApnsExchange, type ApnsAnswer, type ApnsRequest } from './apns-exchange.js';

export interface ApnsConnectionsOptions extends ApnsConnectionOptions {
  /** The most connections at once to one endpoint with one key. @default 4 */
  readonly connections: number;
}

const firstBackoffMs = 200;
const longestBackoffMs = 30_000;

/**
 * The connections to one endpoint with one key. More are opened while those that are open have no room; requests wait
 * for room in order. When Apple cannot be reached, requests fail at once, with the time to wait, until the next try.
 */
export class ApnsConnections implements ApnsConnectionOwner {
  private readonly open = new Set<ApnsConnection>();
  private waiting: ApnsExchange[] = [];
  private taken = 0;
  private failures = 0;
  private notBefore = 0;
  private closing = false;

  constructor(
    private readonly endpoint: string,
    private readonly options: ApnsConnectionsOptions,
  ) {}

  /** Throws SendLater when no answer can be had. */
  request(request: ApnsRequest): Promise<ApnsAnswer> {
    return new Promise((resolve, reject) => {
      const exchange = new ApnsExchange(request, resolve, reject);
      const backoffMs = this.notBefore - Date.now();
      if (this.closing) return exchange.fail('Closed');
      if (this.open.size === 0 && backoffMs > 0) return exchange.fail('Unreachable', backoffMs);
      this.waiting.push(exchange);
      this.changed();
    });
  }

  /** Ends all connections; what is under way fails and can be sent later. */
  close(): void {
    this.closing = true;
    for (const connection of this.open) connection.destroy();
    this.failWaiting('Closed');
  }

  changed(): void {
    while (this.taken < this.waiting.length) {
      const connection = this.roomiest();
      if (!connection) break;
      connection.start(this.waiting[this.taken++]!);
    }
    this.forgetTaken();
    if (this.waiting.length > 0) this.openAnother();
  }

  refused(exchange: ApnsExchange): void {
    if (this.closing) exchange.fail('Closed');
    else this.waiting.push(exchange);
  }

  closed(connection: ApnsConnection, fault?: string): void {
    this.open.delete(connection);
    if (fault === undefined) this.failures = 0;
    else this.backOff(fault);
    this.changed();
  }

  private roomiest(): ApnsConnection | undefined {
    let best: ApnsConnection | undefined;
    for (const connection of this.open) if (connection.room > (best?.room ?? 0)) best = connection;
    return best;
  }

  /** One at a time: before it takes streams nobody knows how many are needed. */
  private openAnother(): void {
    if (this.closing || this.open.size >= this.options.connections || Date.now() < this.notBefore) return;
    for (const connection of this.open) if (connection.unproven) return;
    this.open.add(new ApnsConnection(this.endpoint, this.options, this));
  }

  private backOff(fault: string): void {
    const backoffMs = Math.min(firstBackoffMs * 2 ** this.failures++, longestBackoffMs);
    this.notBefore = Date.now() + backoffMs;
    if (this.open.size === 0) this.failWaiting(`Unreachable (${fault})`, backoffMs);
  }

  private failWaiting(reason: string, retryAfterMs?: number): void {
    const waiting = this.waiting.slice(this.taken);
    this.waiting = [];
    this.taken = 0;
    for (const exchange of waiting) exchange.fail(reason, retryAfterMs);
  }

  /** Taking from the front of an array moves the rest, so it is done seldom. */
  private forgetTaken(): void {
    if (this.taken < this.waiting.length && this.taken < 1024) return;
    this.waiting.splice(0, this.taken);
    this.taken = 0;
  }
}
