import type { Encoding, Transport, TransportListener } from 'rookery/internal/channels';
import type { Wire } from './wire.js';

/** What a node sends to a client. */
export type ToClient =
  | { readonly kind: 'texts'; readonly texts: readonly string[]; readonly sentAt: number }
  /** To be answered with its number, if it has one. */
  | { readonly kind: 'ping'; readonly number?: number }
  | { readonly kind: 'close'; readonly code: number }
  /** The socket has ended. */
  | { readonly kind: 'end' };

/** What a client sends to a node. */
export type ToNode =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'pong'; readonly number?: number }
  | { readonly kind: 'close'; readonly code: number }
  | { readonly kind: 'end' };

/** Frames are JSON, which has no such characters. */
const endOfText = '\n';
const pingByte = '\u0001';

const encode = (text: string): Buffer => Buffer.from(text + endOfText);
const encoding: Encoding = {
  encode,
  encodeShared: encode,
  ping: Buffer.from(pingByte + endOfText),
};

/** The node's end of a client's connection: as a WebSocket, without its bytes. */
export class SimulatedTransport implements Transport {
  readonly encoding = encoding;
  readonly isConfirmed = true;
  readonly peerAddress = '';
  isDestroyed = false;
  waitingBytes = 0;
  private listener: TransportListener | undefined;
  private isReading = true;
  private isPaused = false;
  private unread: ToNode[] = [];

  constructor(
    private readonly down: Wire<ToClient>,
    private readonly now: () => number,
  ) {}

  get sockets(): number {
    return this.isDestroyed ? 0 : 1;
  }

  attach(listener: TransportListener): void {
    this.listener = listener;
    for (const message of this.unread.splice(0)) this.take(message);
  }

  write(bytes: Buffer): void {
    if (this.isDestroyed) return;
    const all = bytes.toString().split(endOfText).slice(0, -1);
    const texts = all.filter((text) => text !== pingByte);
    if (texts.length > 0) this.down.send({ kind: 'texts', texts, sentAt: this.now() });
    if (texts.length < all.length) this.down.send({ kind: 'ping' });
  }

  close(due: Buffer | undefined, code: number): void {
    if (due) this.write(due);
    if (!this.isDestroyed) this.down.send({ kind: 'close', code });
  }

  destroy(): void {
    if (this.isDestroyed) return;
    this.isDestroyed = true;
    this.down.send({ kind: 'end' });
    this.listener?.onGone();
  }

  askEcho(number: number): void {
    if (!this.isDestroyed) this.down.send({ kind: 'ping', number });
  }

  pauseReading(): void {
    this.isPaused = true;
  }

  resumeReading(): void {
    this.isPaused = false;
    for (const message of this.unread.splice(0)) this.take(message);
  }

  stopReading(): void {
    this.isReading = false;
  }

  /** A message of the client has arrived. */
  take(message: ToNode): void {
    if (this.isDestroyed) return;
    if (!this.listener || this.isPaused) return void this.unread.push(message);
    if (message.kind === 'end') return this.destroy();
    this.listener.onActivity();
    if (!this.isReading) return;
    if (message.kind === 'pong' && message.number !== undefined) this.listener.onEcho(message.number);
    else if (message.kind === 'pong') this.listener.onHeartbeat();
    if (message.kind === 'text') this.listener.onText(message.text);
    if (message.kind === 'close') this.listener.onClose(message.code, '');
  }
}
