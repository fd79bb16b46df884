import type { Socket } from 'node:net';
import { ping } from '../../protocol/frames.js';
import type { Encoding, Transport, TransportListener } from '../transport.js';
import { closeFrame, pingFrame, pongFrame, textFrame } from './frame-encoder.js';
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

/** A WebSocket on its own TCP or TLS socket. It has no closure of its own. */
export class WebSocketTransport implements Transport, FrameListener {
  private readonly reader: FrameReader;
  private listener: TransportListener | undefined;

  /**
   * @param messageBytes the longest message that a client may send
   * @param encoding another one if the client and the server have agreed on compression
   */
  constructor(
    private readonly socket: Socket,
    messageBytes: number,
    readonly encoding: Encoding = webSocketEncoding,
  ) {
    this.reader = new FrameReader(
      messageBytes,
      encoding === webSocketEncoding ? undefined : new Inflater(messageBytes),
    );
  }

  /** Begins to read, starting with the bytes that came with the upgrade request. */
  attach(listener: TransportListener, head: Buffer): void {
    this.listener = listener;
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

  pauseReading(): void {
    this.reader.pause();
    this.socket.pause();
  }

  resumeReading(): void {
    if (this.reader.resume(this)) this.socket.resume();
  }

  stopReading(): void {
    this.reader.stop();
  }

  // Called by the socket.

  onBytes(chunk: Buffer): void {
    this.listener?.onActivity();
    this.reader.read(chunk, this);
  }

  onEnd(): void {
    this.listener?.onGone();
    this.socket.end();
  }

  onSocketClose(): void {
    this.listener?.onGone();
  }

  // Called by the frame reader.

  onText(text: string): void {
    this.listener?.onText(text);
  }

  onPing(payload: Buffer): void {
    this.listener?.onAnswer(pongFrame(payload));
  }

  onPong(): void {}

  onClose(code: number | undefined): void {
    this.listener?.onClose(code ?? 1000, '');
  }

  onViolation(code: 1002 | 1003 | 1007 | 1009, reason: string): void {
    this.listener?.onClose(code, reason);
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
