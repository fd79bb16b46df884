import type { ClientHttp2Stream, IncomingHttpHeaders, IncomingHttpStatusHeader } from 'node:http2';
import { SendLater } from '../push.gateway.js';

/** One request to APNs, complete but for the connection it goes out on. */
export interface ApnsRequest {
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
}

export interface ApnsAnswer {
  readonly status: number;
  readonly body: string;
  readonly retryAfter?: string;
}

/** A request that Apple has refused unread so often is left for later. */
const mostAttempts = 5;

/** One request on its way to its answer, over as many connections as it takes. */
export class ApnsExchange {
  startedAt = 0;
  settled = false;
  stream?: ClientHttp2Stream;
  private attempts = 0;
  private status = 0;
  private retryAfter?: string;
  private body = '';

  constructor(
    readonly request: ApnsRequest,
    private readonly resolve: (answer: ApnsAnswer) => void,
    private readonly reject: (error: Error) => void,
  ) {}

  begin(stream: ClientHttp2Stream, now: number): void {
    this.stream = stream;
    this.startedAt = now;
    this.attempts++;
  }

  mayBeResent(): boolean {
    return !this.settled && this.attempts < mostAttempts;
  }

  answered(headers: IncomingHttpHeaders & IncomingHttpStatusHeader): void {
    this.status = Number(headers[':status']);
    this.retryAfter = headers['retry-after'];
    // 200 has no body: the next sender need not wait for the stream to close.
    if (this.status === 200) this.settle();
  }

  read(chunk: string): void {
    this.body += chunk;
  }

  ended(): void {
    if (this.status > 0) this.settle();
  }

  fail(reason: string, retryAfterMs?: number): void {
    if (this.settled) return;
    this.settled = true;
    this.reject(new SendLater(reason, retryAfterMs));
  }

  private settle(): void {
    if (this.settled) return;
    this.settled = true;
    this.resolve({ status: this.status, body: this.body, retryAfter: this.retryAfter });
  }
}
