import type { Transport, TransportListener } from '../transport.js';
import type { Answer } from './answer.js';
import { closed, httpEncoding, nothing, opened } from './http-encoding.js';

/** A browser sends anew what was on its way when a connection broke: not more than it has connections, and soon. */
const mostHeard = 64;

/** How long requests may take, in rounds of {@link HttpTransport.round}. */
export interface HttpPatience {
  /** After so many without a word, an answer that waits says that there is {@link nothing}. */
  readonly wordRounds: number;
  /** After so many without a request that waits, the client is gone. */
  readonly goneRounds: number;
}

/**
 * A client that is written to in the answers to its requests, and speaks by others (channels-wire §11). What comes while
 * no request waits is kept for the next. It keeps no timer: somebody calls {@link round}.
 */
export class HttpTransport implements Transport {
  readonly encoding = httpEncoding;
  isDestroyed = false;
  isConfirmed = false;
  private listener: TransportListener | undefined;
  /** The newest, which what there is to say goes into. */
  private answer: Answer | undefined;
  /** All that are not read to their end. */
  private readonly answers = new Set<Answer>();
  private kept: Buffer[] = [];
  private keptBytes = 0;
  /** There was a first request. */
  private isAsked = false;
  private isOpened = false;
  private isClosing = false;
  private isStopped = false;
  /** An answer was lost on the way. */
  private hasGap = false;
  private idleRounds = 0;
  /** Of the latest request that waited, or waits. */
  private mark: string | undefined;
  /** Of the latest requests in which it said something. */
  private readonly heard = new Set<string>();
  /** The waiting readers. */
  private paused: (() => void)[] | undefined;

  /**
   * @param peerAddress who sent the first request
   * @param messageBytes how long a client's message may be
   * @param onOver called once, when no request can reach it any more
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

  pauseReading(): void {
    this.paused ??= [];
  }

  resumeReading(): void {
    const { paused = [] } = this;
    this.paused = undefined;
    for (const resume of paused) resume();
  }

  stopReading(): void {
    this.isStopped = true;
    this.resumeReading();
  }

  // What the client's requests bring.

  /**
   * The client waits for what there is. Of two requests that wait, the older is ended.
   * @param mark what no other request of the client has: with the same one, a browser makes the latest anew, since its
   *   answer was lost on the way. What was in it is not known any more, so the client has to come back.
   */
  receive(answer: Answer, mark?: string): void {
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

  /** The answer has lost its reader. A client that closes a pending request has gone: this is how it says goodbye. */
  left(answer: Answer): void {
    this.answers.delete(answer);
    if (answer === this.answer) {
      this.answer = undefined;
      this.idleRounds = 0;
      if (!answer.isEnded) return this.gone();
    }
    if (this.isClosing && this.keptBytes === 0 && this.answers.size === 0) this.destroy();
  }

  /** The client has aborted a request that could not be answered any more; it has gone unless a newer one waits. */
  aborted(): void {
    if (!this.answer || this.answer.isEnded) this.gone();
  }

  /** Settles when the next message may be read. */
  readable(): Promise<void> | undefined {
    const { paused } = this;
    return paused && new Promise((resolve) => paused.push(resolve));
  }

  /**
   * The client says something; without any text, it asks for a sign of life.
   * @param mark what no other request of the client has: what a browser sends anew has been heard
   */
  said(texts: readonly string[], mark?: string): void {
    if (this.isStopped || this.hasHeard(mark)) return;
    this.requested();
    this.listener?.onActivity();
    if (texts.length === 0) this.listener?.onAnswer(nothing);
    for (const text of texts) {
      if (Buffer.byteLength(text) > this.messageBytes) return this.saidTooMuch();
      this.listener?.onText(text);
    }
  }

  /** Something that one side has said may not have come to the other: the client comes back. */
  lost(): void {
    this.listener?.onClose(4200, 'Messages may have been lost: please reconnect');
  }

  saidTooMuch(): void {
    this.listener?.onClose(1009, 'Message is too big');
  }

  /** A moment has passed. */
  round(): void {
    const { wordRounds, goneRounds } = this.patience;
    const waits = this.answer !== undefined && !this.answer.isEnded;
    if (++this.idleRounds < (waits ? wordRounds : goneRounds)) return;
    if (waits) this.write(nothing);
    else this.gone();
  }

  private requested(): void {
    if (this.isAsked && !this.isConfirmed) {
      this.isConfirmed = true;
      this.listener?.onConfirmed();
    }
    this.isAsked = true;
  }

  /** What comes after what was lost is not said: the client would take it for the next. */
  private leaveGap(): void {
    this.hasGap = true;
    this.takeKept();
    this.lost();
  }

  private hasHeard(mark: string | undefined): boolean {
    if (mark === undefined) return false;
    if (this.heard.has(mark)) return true;
    this.heard.add(mark);
    // In the order in which they came.
    for (const oldest of this.heard) if (this.heard.size > mostHeard) this.heard.delete(oldest);
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
