import { dropOldest } from '#common';
import type { Transport, TransportListener } from '../transport.js';
import type { TransportAnswer } from './answer.js';
import { closed, httpEncoding, nothing, opened } from './http-encoding.js';

/** After a broken connection, a browser soon repeats the requests in flight: at most as many as it has connections. */
const recentRequests = 64;

/** How long requests may take, in rounds of {@link HttpTransport.round}. */
export interface HttpPatience {
  /** After this many rounds without data, a waiting request is answered with {@link nothing}. */
  readonly heartbeatRounds: number;
  /** After this many rounds without a waiting request, the client counts as gone. */
  readonly goneRounds: number;
}

/**
 * Writes to a client in the answers to its requests; the client sends by other requests (channels-wire §11). Data that
 * arrives while no request waits is kept for the next one. It has no timer: its owner calls {@link round}.
 */
export class HttpTransport implements Transport {
  readonly encoding = httpEncoding;
  isDestroyed = false;
  isConfirmed = false;
  private listener: TransportListener | undefined;
  /** The newest request's answer: data is written here. */
  private answer: TransportAnswer | undefined;
  /** All answers that the client has not read to the end. */
  private readonly answers = new Set<TransportAnswer>();
  private kept: Buffer[] = [];
  private keptBytes = 0;
  /** The first request has arrived. */
  private isAsked = false;
  private isOpened = false;
  private isClosing = false;
  private isStopped = false;
  /** An answer was lost in transit. */
  private hasGap = false;
  private idleRounds = 0;
  /** The mark of the latest request to receive. */
  private mark: string | undefined;
  /** The marks of the latest requests to send. */
  private readonly heard = new Set<string>();
  /** Resolves the promises of paused readers. */
  private paused: (() => void)[] | undefined;
  /** Texts that arrived together, and wait while reading is paused. */
  private unreadTexts: string[] = [];

  /**
   * @param peerAddress the sender of the first request
   * @param messageBytes the longest message that a client may send
   * @param onOver called once, when requests can no longer reach it
   */
  constructor(
    readonly peerAddress: string,
    private readonly messageBytes: number,
    private readonly patience: HttpPatience,
    private readonly onOver: () => void,
  ) {}

  attach(listener: TransportListener): void {
    this.listener = listener;
  }

  get waitingBytes(): number {
    let bytes = this.keptBytes;
    for (const answer of this.answers) bytes += answer.waitingBytes;
    return bytes;
  }

  get sockets(): number {
    return this.answers.size;
  }

  write(bytes: Buffer): void {
    if (this.hasGap) return;
    this.keep(bytes);
    this.flush();
  }

  close(due: Buffer | undefined, code: number, reason: string): void {
    if (due && !this.hasGap) this.keep(due);
    this.keep(closed(code, reason));
    this.isClosing = true;
    this.flush();
  }

  destroy(): void {
    if (this.isDestroyed) return;
    this.isDestroyed = true;
    this.takeKept();
    for (const answer of this.answers) answer.destroy();
    this.resumeReading();
    this.onOver();
  }

  askEcho(): void {}

  pauseReading(): void {
    this.paused ??= [];
  }

  resumeReading(): void {
    const { paused = [] } = this;
    this.paused = undefined;
    this.readWaiting();
    if (this.paused) this.paused = paused;
    else for (const resume of paused) resume();
  }

  stopReading(): void {
    this.isStopped = true;
    this.resumeReading();
  }

  // Called for the client's requests.

  /**
   * The client waits for data. Of two waiting requests, the older one is ended.
   * @param mark unique for each request of the client. The same mark means that the browser repeats its latest request
   *   because the answer was lost. The lost data is gone, so the client has to reconnect.
   */
  receive(answer: TransportAnswer, mark?: string): void {
    this.requested();
    const isRepeated = mark !== undefined && mark === this.mark;
    this.mark = mark ?? this.mark;
    this.answer?.end();
    this.answer = answer;
    this.answers.add(answer);
    this.idleRounds = 0;
    this.listener?.onActivity();
    if (isRepeated) this.leaveGap();
    this.flush();
  }

  /** The client closed an answer. Closing a pending request is how a client disconnects. */
  left(answer: TransportAnswer): void {
    this.answers.delete(answer);
    if (answer === this.answer) {
      this.answer = undefined;
      this.idleRounds = 0;
      if (!answer.isEnded) return this.gone();
    }
    if (this.isClosing && this.keptBytes === 0 && this.answers.size === 0) this.destroy();
  }

  /** The client aborted a request before it had an answer. It has disconnected unless a newer request waits. */
  aborted(): void {
    if (!this.answer || this.answer.isEnded) this.gone();
  }

  /** Resolves when the next messages may be read. */
  async readable(): Promise<void> {
    while (this.paused) await new Promise<void>((resolve) => this.paused?.push(resolve));
  }

  /**
   * The client sends messages; an empty list asks for a sign of life.
   * @param mark unique for each request of the client; a repeated request is ignored
   */
  said(texts: readonly string[], mark?: string): void {
    if (this.isStopped || this.hasHeard(mark)) return;
    this.requested();
    this.listener?.onActivity();
    if (texts.length === 0) {
      this.listener?.onHeartbeat();
      this.listener?.onAnswer(nothing);
    }
    this.unreadTexts = this.unreadTexts.concat(texts);
    this.readWaiting();
  }

  /** A message in either direction may be lost: the client has to reconnect. */
  lost(): void {
    this.listener?.onClose(4200, 'Messages may have been lost: please reconnect');
  }

  saidTooMuch(): void {
    this.listener?.onClose(1009, 'Message is too big');
  }

  /** Called at regular intervals. */
  round(): void {
    const { heartbeatRounds, goneRounds } = this.patience;
    const waits = this.answer !== undefined && !this.answer.isEnded;
    if (++this.idleRounds < (waits ? heartbeatRounds : goneRounds)) return;
    if (waits) this.write(nothing);
    else this.gone();
  }

  /** Passes on texts as the connection is ready for them. */
  private readWaiting(): void {
    let heard = 0;
    for (const text of this.unreadTexts) {
      if (this.paused || this.isStopped || this.isDestroyed) break;
      heard += 1;
      if (Buffer.byteLength(text) > this.messageBytes) this.saidTooMuch();
      else this.listener?.onText(text);
    }
    this.unreadTexts = this.isStopped || this.isDestroyed ? [] : this.unreadTexts.slice(heard);
  }

  private requested(): void {
    if (this.isAsked && !this.isConfirmed) {
      this.isConfirmed = true;
      this.listener?.onConfirmed();
    }
    this.isAsked = true;
  }

  /** Data after the gap is not sent: the client would take it for what follows. */
  private leaveGap(): void {
    this.hasGap = true;
    this.takeKept();
    this.lost();
  }

  private hasHeard(mark: string | undefined): boolean {
    if (mark === undefined) return false;
    if (this.heard.has(mark)) return true;
    this.heard.add(mark);
    dropOldest(this.heard, recentRequests);
    return false;
  }

  private keep(bytes: Buffer): void {
    this.kept.push(bytes);
    this.keptBytes += bytes.length;
  }

  private flush(): void {
    const { answer } = this;
    if (!answer || answer.isEnded || this.kept.length === 0) return;
    if (!this.isOpened) this.kept.unshift(opened);
    this.isOpened = true;
    this.idleRounds = 0;
    const bytes = this.takeKept();
    if (this.isClosing) answer.end(bytes);
    else answer.write(bytes);
  }

  private takeKept(): Buffer {
    const { kept } = this;
    this.kept = [];
    this.keptBytes = 0;
    return kept.length === 1 ? kept[0]! : Buffer.concat(kept);
  }

  private gone(): void {
    this.destroy();
    this.listener?.onGone();
  }
}
