import { Socket } from 'node:net';
import type { BatchMember, BroadcastBatch } from './broadcast-batch.js';
import type { Writer, WriteScheduler } from './write-scheduler.js';

/** Told when more waits for a socket than may. */
export interface OutputListener {
  onTooSlow(): void;
}

/**
 * What one connection writes: once per tick, joined, however many events are due. An event is never dropped from an
 * open connection: the listener closes one that reads too slowly.
 */
export class Output implements Writer, BatchMember {
  private due: Buffer | Buffer[] | undefined;
  private isAnswerDue = false;
  private isStopped = false;
  private readonly fd: number;

  constructor(
    private readonly socket: Socket,
    private readonly queuedBytes: number,
    private readonly writes: WriteScheduler,
    private readonly listener: OutputListener,
  ) {
    this.fd = descriptorOf(socket);
  }

  /** Adds bytes to what is written when the tick ends. */
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

  /** Writes what is due, or has the batch send it. */
  flush(batch?: BroadcastBatch): void {
    const bytes = this.take();
    if (!bytes) return;
    // Past the stream only when nothing waits in it, and while the descriptor is still this socket's.
    if (batch && this.fd >= 0 && this.socket.writableLength === 0 && !this.socket.destroyed)
      batch.add(this, this.fd, bytes);
    else this.write(bytes);
  }

  sent(bytes: Buffer, result: number): void {
    // What the kernel did not take waits in the stream, which also learns of an error.
    if (result !== bytes.length) this.write(result > 0 ? bytes.subarray(result) : bytes);
  }

  /** Writes what is due and these last bytes, and ends the socket. */
  end(bytes: Buffer): void {
    const due = this.take();
    this.stop();
    if (due) this.socket.write(due);
    this.socket.end(bytes);
  }

  /** Nothing is written any more. */
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
    this.socket.write(bytes);
    if (this.socket.writableLength > this.queuedBytes) this.listener.onTooSlow();
  }
}

/** The descriptor of a plain TCP socket; −1 for any other: what is written to one of TLS has to be encrypted. */
function descriptorOf(socket: Socket): number {
  if (socket.constructor !== Socket) return -1;
  // Node has no public name for it.
  const { _handle: handle } = socket as unknown as { readonly _handle?: { readonly fd?: number } | null };
  return handle?.fd ?? -1;
}

// The connections of one channel mostly have the same buffers due: what was joined for one serves the next.
let lastParts: readonly Buffer[] = [];
let lastJoined = Buffer.alloc(0);

function joined(parts: readonly Buffer[]): Buffer {
  if (parts.length === lastParts.length && parts.every((part, i) => part === lastParts[i])) return lastJoined;
  lastParts = parts;
  lastJoined = Buffer.concat(parts);
  return lastJoined;
}
