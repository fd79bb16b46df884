import type { Socket } from 'node:net';
import { unfinishedInput, type UnfinishedOwner } from '#http';
import { ping } from '../../protocol/frames.js';
import type { Encoding, Transport, TransportListener } from '../transport.js';
import { closeFrame, echoFrame, pingFrame, pongFrame, textFrame } from './frame-encoder.js';
import { type FrameListener, FrameReader } from './frame-reader.js';
import { Inflater } from './inflater.js';

/** One frame for each text. */
export const webSocketEncoding: Encoding = {
  encode: textFrame,
  encodeShared: textFrame,
  // Both kinds of ping: a browser answers the first by itself; a client library of an old protocol knows only the
  // second (channels-wire §1.4).
  ping: Buffer.concat([pingFrame, textFrame(ping)]),
};

/** Of more pings that arrive together, only the latest is answered (RFC 6455 §5.5.3). */
const pingsEach = 16;

/** A WebSocket on its own TCP or TLS socket. It has no closure of its own. */
export class WebSocketTransport implements Transport, FrameListener, UnfinishedOwner {
  private readonly reader: FrameReader;
  private listener: TransportListener | undefined;
  private isUnfinished = false;
  private hasFinished = false;
  /** Pings in what is being read, and the payload of the latest that is not answered. */
  private pings = 0;
  private pinged: Buffer | undefined;

  /**
   * @param messageBytes the longest message that a client may send
   * @param encoding another one if the client and the server have agreed on compression
   * @param opening the answer to the handshake
   */
  constructor(
    private readonly socket: Socket,
    messageBytes: number,
    readonly encoding: Encoding = webSocketEncoding,
    public opening?: Buffer,
  ) {
    this.reader = new FrameReader(
      messageBytes,
      encoding === webSocketEncoding ? undefined : new Inflater(messageBytes),
    );
  }

  /** Begins to read, starting with the bytes that came with the upgrade request. */
  attach(listener: TransportListener, head: Buffer): void {
    this.listener = listener;
    // The connection has taken it, and may be open for days.
    this.opening = undefined;
    const socket: OwnedSocket = this.socket;
    socket[owner] = this;
    socket.setNoDelay(true);
    socket.setTimeout(0);
    socket.on('data', onData).on('end', onEnd).on('close', onSocketClose);
    if (head.length > 0) this.onBytes(head);
  }

  get waitingBytes(): number {
    return this.socket.writableLength;
  }

  get isDestroyed(): boolean {
    return this.socket.destroyed;
  }

  get sockets(): number {
    return this.isDestroyed ? 0 : 1;
  }

  get isConfirmed(): boolean {
    return true;
  }

  get peerAddress(): string {
    return this.socket.remoteAddress ?? '';
  }

  write(bytes: Buffer): void {
    this.socket.write(bytes);
  }

  close(due: Buffer | undefined, code: number, reason: string): void {
    if (due) this.socket.write(due);
    this.socket.end(closeFrame(code, reason));
  }

  destroy(): void {
    this.socket.destroy();
  }

  askEcho(number: number): void {
    this.socket.write(echoFrame(number));
  }

  pauseReading(): void {
    this.reader.pause();
    this.socket.pause();
  }

  resumeReading(): void {
    if (this.reader.resume(this)) this.socket.resume();
    this.answerPing();
    this.noteUnfinished();
  }

  stopReading(): void {
    this.reader.stop();
    this.noteUnfinished();
  }

  // Called by the socket.

  onBytes(chunk: Buffer): void {
    this.listener?.onActivity();
    this.pings = 0;
    this.hasFinished = false;
    this.reader.read(chunk, this);
    this.answerPing();
    this.noteUnfinished();
  }

  onEnd(): void {
    this.listener?.onGone();
    this.socket.end();
  }

  onSocketClose(): void {
    this.listener?.onGone();
  }

  // Called for what is unfinished.

  get inputAddress(): string {
    return this.listener?.inputAddress ?? '';
  }

  refuseInput(): void {
    this.listener?.onInputRefused('processInputBytes');
  }

  inputIsLate(): void {
    // One that is not read is not late.
    if (!this.socket.isPaused()) this.listener?.onInputRefused('messageMs');
  }

  // Called by the frame reader.

  onText(text: string): void {
    this.hasFinished = true;
    this.listener?.onText(text);
  }

  onPing(payload: Buffer): void {
    this.listener?.onHeartbeat();
    this.pings += 1;
    this.pinged = payload;
    if (this.pings <= pingsEach) this.answerPing();
  }

  onPong(payload: Buffer): void {
    if (payload.length === 4) this.listener?.onEcho(payload.readUInt32BE());
    else this.listener?.onHeartbeat();
  }

  onEmptyPart(): void {
    this.listener?.onHeartbeat();
  }

  onClose(code: number | undefined): void {
    this.listener?.onClose(code ?? 1000, '');
  }

  onViolation(code: 1002 | 1003 | 1007 | 1009, reason: string): void {
    this.listener?.onClose(code, reason);
  }

  private noteUnfinished(): void {
    const bytes = this.reader.unfinishedBytes;
    if (bytes === 0 && !this.isUnfinished) return;
    this.isUnfinished = bytes > 0;
    unfinishedInput.hold(this, bytes, this.hasFinished);
  }

  private answerPing(): void {
    if (!this.pinged) return;
    this.listener?.onAnswer(pongFrame(this.pinged));
    this.pinged = undefined;
  }
}

// All sockets share these listeners, which find the transport through the socket, so none needs a closure.
const owner = Symbol('transport');
type OwnedSocket = Socket & { [owner]?: WebSocketTransport };

function onData(this: OwnedSocket, chunk: Buffer): void {
  this[owner]?.onBytes(chunk);
}

function onEnd(this: OwnedSocket): void {
  this[owner]?.onEnd();
}

function onSocketClose(this: OwnedSocket): void {
  this[owner]?.onSocketClose();
}
