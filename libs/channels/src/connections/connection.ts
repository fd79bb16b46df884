import type { Socket } from 'node:net';
import type { App } from '../access/app.js';
import type { ChannelName } from '../protocol/channel-name.js';
import { ProtocolError } from '../protocol/protocol-error.js';
import { Output, type OutputListener } from './output.js';
import { closeFrame, pongFrame, textFrame } from './websocket/frame-encoder.js';
import { type FrameListener, FrameReader } from './websocket/frame-reader.js';
import type { WriteScheduler } from './write-scheduler.js';

/** A user who has signed in on a connection (channels-wire §3.6). */
export interface SignedInUser {
  readonly id: string;
  readonly userInfoJson?: string;
  readonly watchlist: readonly string[];
}

/** A channel that a connection is on; `userId` on presence channels. */
export interface Subscription {
  readonly channel: ChannelName;
  readonly userId?: string;
}

/** What a connection reports; one listener serves all connections. */
export interface ConnectionListener {
  onText(connection: Connection, text: string): void;
  /** Once, when it is over for whatever reason. */
  onClosed(connection: Connection): void;
  /** It was closed because it read too slowly. */
  onTooSlow(connection: Connection): void;
}

export interface ConnectionLimits {
  readonly messageBytes: number;
  /** More waiting for a connection closes it. */
  readonly queuedBytes: number;
}

/** One client's WebSocket. It keeps no timer and no closure of its own. */
export class Connection implements FrameListener, OutputListener {
  /** What it has subscribed to, by channel name; absent until the first. */
  subscriptions: Map<string, Subscription> | undefined;
  user: SignedInUser | undefined;
  /** Whether it has signed in or joined a private or presence channel (§1.5, authorized connections). */
  isAuthorized = false;
  /** Whether it counts towards the connections of its app. */
  isAdmitted = false;
  /** How many rounds of the activity watch have passed since the client was last heard of. */
  idleRounds = 0;
  isClosed = false;
  /** In the time of `performance.now()`. */
  readonly openedAt = performance.now();
  /** The client's work that is not finished yet: its messages are taken one after the other. */
  work: Promise<void> | undefined;
  waiting = 0;
  /** Client events in the current second. */
  clientEvents = 0;
  clientEventsSince = 0;

  private readonly output: Output;
  private readonly reader: FrameReader;

  constructor(
    readonly app: App,
    readonly socketId: string,
    readonly protocol: number,
    private readonly socket: Socket,
    { messageBytes, queuedBytes }: ConnectionLimits,
    writes: WriteScheduler,
    private readonly listener: ConnectionListener,
  ) {
    this.reader = new FrameReader(messageBytes);
    this.output = new Output(socket, queuedBytes, writes, this);
  }

  /** Begins to read: first what came with the upgrade request. */
  attach(head: Buffer): void {
    const socket: OwnedSocket = this.socket;
    socket[owner] = this;
    socket.setNoDelay(true);
    socket.setTimeout(0);
    socket.on('data', onData).on('end', onEnd).on('close', onClose);
    if (head.length > 0) this.onBytes(head);
  }

  /** Sends a frame's text to this connection alone. */
  send(text: string): void {
    this.output.answer(textFrame(text));
  }

  /** Adds bytes to what is written when the tick ends. */
  enqueue(bytes: Buffer): void {
    this.output.enqueue(bytes);
  }

  /** Closes with the error's code and reason; clients of a protocol before 6 are told in a frame first (§1.5). */
  close({ code, message }: ProtocolError): void {
    this.end(code ?? 1000, message);
  }

  /** Ends it without a word: it had its time to answer the close. */
  destroy(): void {
    this.socket.destroy();
  }

  get isDestroyed(): boolean {
    return this.socket.destroyed;
  }

  pauseReading(): void {
    this.socket.pause();
  }

  resumeReading(): void {
    this.socket.resume();
  }

  // What the socket reports.

  onBytes(chunk: Buffer): void {
    this.idleRounds = 0;
    this.reader.read(chunk, this);
  }

  onSocketEnd(): void {
    if (!this.isClosed) this.over();
    this.socket.end();
  }

  onSocketClose(): void {
    if (!this.isClosed) this.over();
  }

  // What the client's frames say.

  onText(text: string): void {
    this.listener.onText(this, text);
  }

  onPing(payload: Buffer): void {
    this.output.answer(pongFrame(payload));
  }

  onPong(): void {}

  onClose(code: number | undefined): void {
    this.end(code !== undefined && isSendable(code) ? code : 1000, '');
  }

  onViolation(code: 1002 | 1003 | 1007 | 1009, reason: string): void {
    this.end(code, reason);
  }

  onTooSlow(): void {
    this.listener.onTooSlow(this);
    this.close(ProtocolError.tooSlow());
  }

  private end(code: number, reason: string): void {
    if (this.isClosed) return;
    const close = closeFrame(code, reason);
    const isTold = this.protocol < 6 && code >= 4000;
    this.output.end(isTold ? Buffer.concat([textFrame(errorText(code, reason)), close]) : close);
    this.over();
  }

  private over(): void {
    this.isClosed = true;
    this.output.stop();
    this.reader.stop();
    this.listener.onClosed(this);
  }
}

// The listeners of all sockets: they find their connection through the socket, so that none needs a closure.
const owner = Symbol('connection');
type OwnedSocket = Socket & { [owner]?: Connection };

function onData(this: OwnedSocket, chunk: Buffer): void {
  this[owner]?.onBytes(chunk);
}

function onEnd(this: OwnedSocket): void {
  this[owner]?.onSocketEnd();
}

function onClose(this: OwnedSocket): void {
  this[owner]?.onSocketClose();
}

const errorText = (code: number, message: string): string =>
  JSON.stringify({ event: 'pusher:error', data: { code, message } });

// RFC 6455 §7.4: codes that may stand in a close frame.
function isSendable(code: number): boolean {
  return (code >= 1000 && code <= 1014 && ![1004, 1005, 1006].includes(code)) || (code >= 3000 && code <= 4999);
}
