import type { IncomingMessage } from 'node:http';
import type { Member } from 'rookery/presence';
import type { App } from '../access/app.js';
import type { ChannelName } from '../protocol/channel-name.js';
import * as frames from '../protocol/frames.js';
import { ProtocolError } from '../protocol/protocol-error.js';
import type { SlidingSecond } from '../sliding-second.js';
import { clientAddress } from './client-address.js';
import type { Session } from './session.js';
import type { HostUser } from './socket-authorizer.js';
import { Output, type OutputListener } from './output.js';
import { Acknowledgements } from './acknowledgements.js';
import type { Encoding, Transport, TransportListener } from './transport.js';
import type { WriteScheduler } from './write-scheduler.js';

/** Pings that may wait for their answers; a page that is frozen answers all of them when it goes on. */
const mostUnanswered = 16;

/** A user signed in on a connection (channels-wire §3.6). */
export interface SignedInUser {
  readonly id: string;
  readonly userInfoJson?: string;
  readonly watchlist: readonly string[];
}

/** A channel that a connection is on; `member` on presence channels. */
export interface Subscription {
  readonly channel: ChannelName;
  readonly member?: Member;
}

/** What a connection reports; one listener serves all connections. */
export interface ConnectionListener {
  onText(connection: Connection, text: string): void;
  /** Once, when it is over for whatever reason. */
  onClosed(connection: Connection): void;
  /** Once, when its client has shown that it stays, unless it did when it connected. */
  onConfirmed(connection: Connection): void;
  /** It was closed because it read too slowly. */
  onTooSlow(connection: Connection): void;
}

/** One client, whatever the transport that reaches it. It keeps no timer and no closure of its own. */
export class Connection implements TransportListener, OutputListener {
  /** What it has subscribed to, by channel name; absent until the first. */
  subscriptions: Map<string, Subscription> | undefined;
  /** The presence channels that it is about to be on: the ledger may know of it already. */
  joining: Map<string, Member> | undefined;
  user: SignedInUser | undefined;
  /** The request that opened it; kept where a SocketAuthorizer is asked. */
  request: IncomingMessage | undefined;
  /** Whose it is by the host's own login, as a SocketAuthorizer has said. */
  hostUser: HostUser | undefined;
  /** Channels that it was taken off: tokens of before do not count for them any more. */
  revoked: Set<string> | undefined;
  /** The client's address as stated by a proxy. */
  forwardedFor: string | undefined;
  /** The page that opened it, as its browser says. */
  origin: string | undefined;
  /** With what it was closed, by whichever side. */
  ending: { readonly code: number; readonly reason: string } | undefined;
  /** By which any process finds it, where its requests may reach any. */
  httpName: string | undefined;
  /** Whether it has signed in or joined a private or presence channel (channels-wire §1.5, authorized connections). */
  isAuthorized = false;
  /** Whether it counts towards the connections of its app. */
  isAdmitted = false;
  /** How many rounds of the keep-alive have passed since the client was last heard of. */
  idleRounds = 0;
  isClosed = false;
  /** In the time of `performance.now()`. */
  readonly openedAt = performance.now();
  /** The client's work that is not finished yet: its messages are taken one after the other. */
  work: Promise<void> | undefined;
  waiting = 0;
  /** Its client events in a second; absent until the first. */
  clientEvents: SlidingSecond | undefined;

  private readonly output: Output;
  /** Pings that it was sent, and how many of them it has answered: answers are empty, and are told by their order. */
  private pings = 0;
  private pongs = 0;
  /** What its answers prove; absent until the first. */
  private acknowledgements: Acknowledgements | undefined;

  /** @param queuedBytes how much may wait for the client; more closes the connection */
  constructor(
    /** As it is by now: another when its settings change. */
    public app: App,
    readonly socketId: string,
    readonly protocol: number,
    private readonly transport: Transport,
    queuedBytes: number,
    writes: WriteScheduler,
    private readonly listener: ConnectionListener,
    /** What is known of the client over its connections, where it has said who comes back. */
    readonly session?: Session,
  ) {
    this.output = new Output(transport, queuedBytes, writes, this);
  }

  /** Whether its client has shown that it stays: before, it does not count towards the connections of its app. */
  get isConfirmed(): boolean {
    return this.transport.isConfirmed;
  }

  get encoding(): Encoding {
    return this.transport.encoding;
  }

  /** Whence it came; for people alone. Looked up when they ask: it costs as much as a subscription. */
  get remoteAddress(): string {
    return clientAddress(this.transport.peerAddress, this.forwardedFor);
  }

  /** Sends a text to this connection alone. */
  send(text: string): void {
    this.output.answer(this.transport.encoding.encode(text));
  }

  /** Adds bytes that its encoding made to what is written when the tick ends. */
  enqueue(bytes: Buffer): void {
    this.output.enqueue(bytes);
  }

  /** Asks a silent client for a sign of life. */
  ping(): void {
    this.pinged();
    this.output.enqueue(this.transport.encoding.ping);
  }

  /** Asks the client itself: no browser answers for it, and only after all that was sent before. */
  pingText(): void {
    this.pinged();
    this.output.enqueue(this.transport.encoding.encode(frames.ping));
  }

  /** Asks the client whether it has handled all that it was sent until now; `handled` is called when it says so. */
  ask(handled: () => void): void {
    this.prove(handled);
    if (!this.owesAnswers) this.pingText();
  }

  /** Whether it is not pinged before it has answered. */
  get owesAnswers(): boolean {
    return this.pings - this.pongs >= mostUnanswered;
  }

  /** Whether its answers prove anything. */
  get isProving(): boolean {
    return this.acknowledgements !== undefined;
  }

  /** The client has answered the earliest ping. */
  ponged(): void {
    if (this.pongs === this.pings) return;
    this.pongs += 1;
    this.acknowledgements?.ponged(this.pongs);
    if (this.acknowledgements?.areWaiting && !this.owesAnswers) this.pingText();
  }

  /** The bytes that wait because the client reads slowly. */
  get waitingBytes(): number {
    return this.transport.waitingBytes;
  }

  /** Closes with the error's code and reason, which a frame may say first (§1.5). */
  close(error: ProtocolError): void {
    if (error.isToldBeforeClose(this.protocol) && !this.isClosed) this.send(frames.error(error));
    this.end(error.code ?? 1000, error.message);
  }

  /** Ends it without a word: it had its time to answer the close. */
  destroy(): void {
    this.transport.destroy();
  }

  get isDestroyed(): boolean {
    return this.transport.isDestroyed;
  }

  pauseReading(): void {
    this.transport.pauseReading();
  }

  resumeReading(): void {
    this.transport.resumeReading();
  }

  // What the transport reports.

  onActivity(): void {
    this.idleRounds = 0;
  }

  onText(text: string): void {
    this.listener.onText(this, text);
  }

  onAnswer(bytes: Buffer): void {
    this.output.answer(bytes);
  }

  onConfirmed(): void {
    this.listener.onConfirmed(this);
  }

  onClose(code: number, reason: string): void {
    this.end(code, reason);
  }

  onGone(): void {
    if (!this.isClosed) this.over();
  }

  onTooSlow(): void {
    this.listener.onTooSlow(this);
    this.close(ProtocolError.tooSlow());
  }

  private pinged(): void {
    this.pings += 1;
    const gotAll = this.session?.pinged();
    if (gotAll) this.prove(gotAll);
    this.acknowledgements?.pinged(this.pings);
  }

  private prove(proof: () => void): void {
    this.acknowledgements ??= new Acknowledgements();
    this.acknowledgements.add(proof);
  }

  private end(code: number, reason: string): void {
    if (this.isClosed) return;
    this.ending = { code, reason };
    this.output.close(code, reason);
    this.over();
  }

  private over(): void {
    this.isClosed = true;
    this.output.stop();
    this.transport.stopReading();
    this.listener.onClosed(this);
  }
}
