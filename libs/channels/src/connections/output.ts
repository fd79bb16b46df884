import { setTimeout as delay } from 'node:timers/promises';
import { bytesOf, type SentText } from './shared-text.js';
import type { Transport } from './transport.js';
import type { Writer, WriteScheduler } from './write-scheduler.js';

/** How often a long answer looks whether a slow client has read what was sent. */
const drainMs = 5;

/** So little may wait unread: during a broadcast, it does for many clients that read at once. */
const littleBytes = 65_536;

/** After so many bytes, a client is to prove that it has read them. */
const proofBytes = 262_144;

/** Called after a write. */
export interface OutputListener {
  /** More than a little waits. */
  onWaiting(): void;
  /** More bytes wait than allowed. */
  onTooSlow(): void;
}

/**
 * What one connection writes: one joined write per tick, however many events are due. An open connection never loses an
 * event: the listener closes a connection that reads too slowly.
 */
export class Output implements Writer {
  private due: Buffer | Buffer[] | undefined;
  /** Bytes sent since {@link hasSentMuch} last said so. */
  private sentBytes = 0;
  private isAnswerDue = false;
  private isStopped = false;

  constructor(
    private readonly transport: Transport,
    private readonly queuedBytes: number,
    private readonly writes: WriteScheduler,
    private readonly listener: OutputListener,
  ) {}

  /** Bytes that are due, or that the client has not read. */
  get waitingBytes(): number {
    return lengthOf(this.due) + this.transport.waitingBytes;
  }

  /** Whether so much was sent, since this was last true, that the client is to prove that it reads. */
  hasSentMuch(): boolean {
    if (this.sentBytes < proofBytes) return false;
    this.sentBytes = 0;
    return true;
  }

  /** Adds bytes to the write at the end of the tick. */
  enqueue(bytes: Buffer): void {
    if (this.isStopped) return;
    if (this.due === undefined) this.writes.connectionDue(this);
    this.add(bytes);
  }

  /** The same for an answer to this client, which does not wait behind a broadcast to others. */
  answer(bytes: Buffer): void {
    if (this.isStopped) return;
    if (!this.isAnswerDue) this.writes.answerDue(this);
    this.isAnswerDue = true;
    this.add(bytes);
  }

  /**
   * Sends the texts of a long answer as fast as the client reads.
   * @param texts each is told how many bytes were sent
   * @returns what the texts return
   */
  async answerAll<Result>(texts: AsyncGenerator<SentText, Result, number>): Promise<Result> {
    const most = this.queuedBytes / 4;
    for (let length = 0, sum = 0; ;) {
      const next = await texts.next(length);
      if (next.done) return next.value;
      length = 0;
      if (this.isStopped) continue;
      const bytes = bytesOf(next.value, this.transport.encoding);
      this.answer(bytes);
      sum += length = bytes.length;
      if (sum < most) continue;
      do await delay(drainMs);
      while (!this.isStopped && this.transport.waitingBytes > most);
      sum = 0;
    }
  }

  /** Writes what is due. */
  flush(): void {
    const bytes = this.take();
    if (bytes) this.write(bytes);
  }

  /** Writes what is due, sends the close, and ends the transport. */
  close(code: number, reason: string): void {
    const due = this.take();
    this.stop();
    this.transport.close(due, code, reason);
  }

  /** Stops all writing. */
  stop(): void {
    this.isStopped = true;
    this.due = undefined;
  }

  private take(): Buffer | undefined {
    const { due } = this;
    this.due = undefined;
    this.isAnswerDue = false;
    return Array.isArray(due) ? joined(due) : due;
  }

  private add(bytes: Buffer): void {
    if (this.due === undefined) this.due = bytes;
    else if (Array.isArray(this.due)) this.due.push(bytes);
    else this.due = [this.due, bytes];
  }

  private write(bytes: Buffer): void {
    if (this.isStopped) return;
    this.transport.write(bytes);
    this.sentBytes += bytes.length;
    const { waitingBytes } = this.transport;
    if (waitingBytes > this.queuedBytes) this.listener.onTooSlow();
    else if (waitingBytes > littleBytes) this.listener.onWaiting();
  }
}

/** Asked for seldom: a count of its own would cost each delivery. */
function lengthOf(due: Buffer | readonly Buffer[] | undefined): number {
  if (due === undefined || Buffer.isBuffer(due)) return due?.length ?? 0;
  return due.reduce((sum, { length }) => sum + length, 0);
}

// The connections of one channel mostly have the same buffers due, so the last joined buffer is reused.
let lastParts: readonly Buffer[] = [];
let lastJoined = Buffer.alloc(0);

function joined(parts: readonly Buffer[]): Buffer {
  if (parts.length === lastParts.length && parts.every((part, i) => part === lastParts[i])) return lastJoined;
  lastParts = parts;
  lastJoined = Buffer.concat(parts);
  return lastJoined;
}
