import type { ClientHttp2Stream } from 'node:http2';
import { GrowingBuffer } from '#common';
import { SendLater } from '../push.gateway.js';

/** Headers shared by many requests. */
export type SharedHeaders = Readonly<Record<string, string>>;

/** One request, independent of its connection. */
export interface PushRequest {
  /** All headers, but without the path if it is specific to the device. */
  readonly headers: SharedHeaders;
  readonly path?: string;
  /** Absent for a method without one, such as DELETE. */
  readonly body?: Uint8Array;
}

/** A push service's answer, with only the relevant headers. */
export interface PushAnswer {
  readonly status: number;
  /** As UTF-8 text; empty for a 200, whose body is not read. */
  readonly body: string;
  readonly retryAfter?: string;
  /** The id of a new broadcast channel, from Apple's management of channels. */
  readonly channelId?: string;
}

/** The largest head of a request. Apple accepts 8,000 bytes; tokens are untrusted, and a larger head ends a connection. */
const maxHeadBytes = 4096;
/** What HTTP/2 counts for each header besides its text (RFC 9113 §6.5.2). */
const bytesPerHeader = 32;

/** Given in the place of the service if a request's head is too large: its fault alone. */
export const headTooLarge: PushAnswer = { status: 431, body: '' };

/** Whether the head would be too large for push services: pseudo headers and headers, as HTTP/2 counts them. */
export function hasLargeHead({ headers, path = '' }: PushRequest): boolean {
  let bytes = path.length;
  for (const name in headers) bytes += name.length + (headers[name]?.length ?? 0) + bytesPerHeader;
  return bytes > maxHeadBytes;
}

/** After the service has refused a request unread this many times, it is retried later. */
const maxAttempts = 5;
/** How many bytes of an answer's body to keep. */
const maxBodyBytes = 16_384;

/** One request until its answer, on as many connections as necessary. */
export class Exchange {
  /** By performance.now(). */
  startedAt = 0;
  stream?: ClientHttp2Stream;
  settled = false;
  private attempts = 0;
  private status = 0;
  private retryAfter?: string;
  private channelId?: string;
  private body?: GrowingBuffer;

  constructor(
    readonly request: PushRequest,
    private readonly resolve: (answer: PushAnswer) => void,
    private readonly reject: (error: Error) => void,
  ) {}

  begin(stream: ClientHttp2Stream, now: number): void {
    this.stream = stream;
    this.startedAt = now;
    this.attempts++;
  }

  mayBeResent(): boolean {
    return !this.settled && this.attempts < maxAttempts;
  }

  answered(status: number, retryAfter: string | undefined, channelId: string | undefined): void {
    this.status = status;
    this.retryAfter = retryAfter;
    this.channelId = channelId;
    // The body of a 200 is ignored, so the next send need not wait for it.
    if (status === 200) this.settle();
  }

  /** Returns whether more data is needed. */
  read(chunk: Buffer): boolean {
    if (this.settled) return true;
    const body = (this.body ??= new GrowingBuffer(maxBodyBytes));
    const room = maxBodyBytes - body.length;
    body.add(chunk.subarray(0, room));
    return chunk.length <= room;
  }

  /** The answer is complete, as far as it is needed. */
  ended(): void {
    if (this.status > 0) this.settle();
    else this.fail('ConnectionLost');
  }

  fail(reason: string, retryAfterMs?: number): void {
    if (!this.settled) this.failWith(new SendLater(reason, retryAfterMs));
  }

  failWith(error: Error): void {
    if (this.settled) return;
    this.settled = true;
    this.reject(error);
  }

  /** The head cannot be sent on any connection. */
  refuse(): void {
    this.settleWith(headTooLarge);
  }

  private settle(): void {
    if (this.settled) return;
    const { status, retryAfter, channelId } = this;
    this.settleWith({ status, body: this.body?.bytes.toString() ?? '', retryAfter, channelId });
  }

  private settleWith(answer: PushAnswer): void {
    this.settled = true;
    this.resolve(answer);
  }
}
