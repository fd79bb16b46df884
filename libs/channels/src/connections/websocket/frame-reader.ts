import { isUtf8 } from 'node:buffer';
import { closeViolation } from './close-violation.js';
import { FragmentedBytes } from './fragmented-bytes.js';
import { FragmentedText } from './fragmented-text.js';
import type { Inflater } from './inflater.js';

/** Receives the meaning of a client's bytes, in the order of arrival. */
export interface FrameListener {
  onText(text: string): void;
  onPing(payload: Buffer): void;
  onPong(payload: Buffer): void;
  /** A part of a message that adds nothing to it. */
  onEmptyPart(): void;
  /** The client closes; `code` may be sent back, and is undefined when the client gave none. */
  onClose(code: number | undefined): void;
  /** The client violated the protocol: nothing after it is read. */
  onViolation(code: 1002 | 1003 | 1007 | 1009, reason: string): void;
}

enum Opcode {
  Continuation = 0,
  Text = 1,
  Binary = 2,
  Close = 8,
  Ping = 9,
  Pong = 10,
}

/** Of the first frame of a compressed message (RFC 7692 §6). */
const rsv1 = 0x40;

/** Reads the frames of one client (RFC 6455 §5). Between frames it keeps only incomplete data. */
export class FrameReader {
  private rest: Buffer | undefined;
  private restBytes = 0;
  /** A text, or the bytes of a compressed one. */
  private fragmented: FragmentedText | FragmentedBytes | undefined;
  private stopped = false;
  private isPaused = false;

  /**
   * @param maxBytes the longest message, over all its fragments
   * @param inflater for a client that may send compressed messages
   */
  constructor(
    private readonly maxBytes: number,
    private readonly inflater?: Inflater,
  ) {}

  read(chunk: Buffer, listener: FrameListener): void {
    this.take(this.rest ? this.append(this.rest, chunk) : chunk, listener);
  }

  /** The bytes of what is not complete yet. */
  get unfinishedBytes(): number {
    return (this.rest ? this.restBytes : 0) + (this.fragmented?.length ?? 0);
  }

  /** Keeps what follows the current frame, until {@link resume}. */
  pause(): void {
    this.isPaused = true;
  }

  /** @returns whether all that was kept is read: the listener may pause it again */
  resume(listener: FrameListener): boolean {
    this.isPaused = false;
    if (this.rest) this.take(this.rest.subarray(0, this.restBytes), listener);
    return !this.isPaused;
  }

  /** Stops reading. */
  stop(): void {
    this.stopped = true;
    this.rest = this.fragmented = undefined;
  }

  private take(bytes: Buffer, listener: FrameListener): void {
    const used = this.readFrames(bytes, listener);
    if (this.stopped || used === bytes.length) this.rest = undefined;
    else if (used > 0 || !this.rest) this.keep(bytes.subarray(used));
  }

  // Answers how many bytes the complete frames took.
  private readFrames(bytes: Buffer, listener: FrameListener): number {
    let used = 0;
    while (used < bytes.length && !this.stopped && !this.isPaused) {
      const taken = this.readFrame(used === 0 ? bytes : bytes.subarray(used), listener);
      if (taken === 0) break;
      used += taken;
    }
    return used;
  }

  // A copy: a slice would keep the socket's whole read buffer alive.
  private keep(bytes: Buffer): void {
    this.rest = Buffer.from(bytes);
    this.restBytes = bytes.length;
  }

  // The room is doubled when it is full: a frame that arrives byte by byte must not be copied with each byte.
  private append(rest: Buffer, chunk: Buffer): Buffer {
    const total = this.restBytes + chunk.length;
    let room = rest;
    if (total > rest.length) {
      room = Buffer.allocUnsafe(Math.max(total, 2 * rest.length));
      rest.copy(room, 0, 0, this.restBytes);
    }
    chunk.copy(room, this.restBytes);
    this.rest = room;
    this.restBytes = total;
    return room.subarray(0, total);
  }

  // Answers how many bytes the frame took, 0 when it is incomplete.
  private readFrame(bytes: Buffer, listener: FrameListener): number {
    if (bytes.length < 2) return 0;
    const first = bytes[0]!;
    const second = bytes[1]!;
    const isDeflated = this.inflater !== undefined && (first & 0x4f) === (rsv1 | Opcode.Text);
    const violation = headerViolation(isDeflated ? first & ~rsv1 : first, second);
    if (violation !== undefined) return this.violated(listener, 1002, violation);

    const shortLength = second & 0x7f;
    const lengthBytes = shortLength === 126 ? 2 : shortLength === 127 ? 8 : 0;
    const start = 2 + lengthBytes + 4;
    if (bytes.length < 2 + lengthBytes) return 0;
    const length =
      lengthBytes === 0 ? shortLength : lengthBytes === 2 ? bytes.readUInt16BE(2) : Number(bytes.readBigUInt64BE(2));
    if (length > this.maxBytes || this.isTooMuch(first & 0x0f, length))
      return this.violated(listener, 1009, 'Message is too big');
    if (bytes.length < start + length) return 0;

    const payload = bytes.subarray(start, start + length);
    unmask(payload, bytes.readUInt32BE(start - 4));
    if (isDeflated) this.deflated((first & 0x80) !== 0, payload, listener);
    else this.frame((first & 0x80) !== 0, first & 0x0f, payload, listener);
    return start + length;
  }

  private frame(isFinal: boolean, opcode: Opcode, payload: Buffer, listener: FrameListener): void {
    switch (opcode) {
      case Opcode.Text:
        if (this.fragmented) return void this.violated(listener, 1002, notFinished);
        if (isFinal) return this.text(payload, listener);
        this.fragmented = new FragmentedText();
        return this.continued(false, payload, listener);
      case Opcode.Continuation:
        if (!isFinal && payload.length === 0) listener.onEmptyPart();
        return this.continued(isFinal, payload, listener);
      case Opcode.Binary:
        return void this.violated(listener, 1003, 'Binary messages are not supported');
      case Opcode.Ping:
        return listener.onPing(payload);
      case Opcode.Pong:
        return listener.onPong(payload);
      case Opcode.Close:
        return this.closed(payload, listener);
    }
  }

  /** The first frame of a compressed message. */
  private deflated(isFinal: boolean, payload: Buffer, listener: FrameListener): void {
    if (this.fragmented) return void this.violated(listener, 1002, notFinished);
    if (isFinal) return this.inflated(payload, listener);
    this.fragmented = new FragmentedBytes();
    this.fragmented.add(payload);
  }

  private inflated(payload: Buffer, listener: FrameListener): void {
    const message = this.inflater!.inflate(payload);
    if (Buffer.isBuffer(message)) this.text(message, listener);
    else this.violated(listener, message.code, message.reason);
  }

  private closed(payload: Buffer, listener: FrameListener): void {
    const violation = closeViolation(payload);
    if (violation) return void this.violated(listener, violation.code, violation.reason);
    this.stop();
    listener.onClose(payload.length > 0 ? payload.readUInt16BE(0) : undefined);
  }

  private continued(isFinal: boolean, payload: Buffer, listener: FrameListener): void {
    const { fragmented } = this;
    if (!fragmented) return void this.violated(listener, 1002, 'Nothing to continue');
    if (!fragmented.add(payload)) return void this.violated(listener, 1007, notUtf8);
    if (!isFinal) return;
    this.fragmented = undefined;
    if (!(fragmented instanceof FragmentedText)) return this.inflated(fragmented.bytes, listener);
    const text = fragmented.end();
    if (text === undefined) return void this.violated(listener, 1007, notUtf8);
    listener.onText(text);
  }

  // Control frames between the fragments of a message do not count towards its length.
  private isTooMuch(opcode: Opcode, length: number): boolean {
    return this.fragmented !== undefined && opcode < Opcode.Close && this.fragmented.length + length > this.maxBytes;
  }

  private text(payload: Buffer, listener: FrameListener): void {
    if (!isUtf8(payload)) return void this.violated(listener, 1007, notUtf8);
    listener.onText(payload.length === 0 ? '' : payload.toString());
  }

  private violated(listener: FrameListener, code: 1002 | 1003 | 1007 | 1009, reason: string): number {
    this.stop();
    listener.onViolation(code, reason);
    return 0;
  }
}

const notUtf8 = 'Message is not UTF-8';
const notFinished = 'A fragmented message is not finished';

function headerViolation(first: number, second: number): string | undefined {
  const opcode = first & 0x0f;
  if (first & 0x70) return 'Reserved bits are set';
  if ((opcode > 2 && opcode < 8) || opcode > 10) return 'Unknown opcode';
  if (!(second & 0x80)) return 'Frames of a client must be masked';
  if (opcode >= 8 && (!(first & 0x80) || (second & 0x7f) > 125)) return 'Control frames must be whole and short';
  return undefined;
}

function unmask(payload: Buffer, mask: number): void {
  const keys = [mask >>> 24, (mask >>> 16) & 0xff, (mask >>> 8) & 0xff, mask & 0xff];
  for (let i = 0; i < payload.length; i++) payload[i]! ^= keys[i & 3]!;
}
