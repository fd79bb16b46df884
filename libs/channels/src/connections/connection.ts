import type { IncomingMessage } from 'node:http';
import { readAddress } from '#http';
import type { Member } from 'rookery/presence';
import type { App } from '../app/app.js';
import type { ChannelName } from '../protocol/channel-name.js';
import * as frames from '../protocol/frames.js';
import { ProtocolError } from '../protocol/protocol-error.js';
import type { ClientAccount } from './client-quotas.js';
import { ReadingProof } from './reading-proof.js';
import type { SentText } from './shared-text.js';
import type { HostUser } from './socket-authorizer.js';
import { Output, type OutputListener } from './output.js';
import { Acknowledgements } from './acknowledgements.js';
import type { Encoding, Transport, TransportListener } from './transport.js';
import type { WriteScheduler } from './write-scheduler.js';

/** How many pings may await their answers; a frozen page answers all of them when it resumes. */
const maxUnanswered = 16;

/** How many heartbeats a client may send in a round of the keep-alive without being counted. */
const freeHeartbeats = 5;

/** Why a client is not read. */
export enum PauseReason {
  /** Too many of its messages wait. */
  Messages = 1,
  /** Too much waits for it to read. */
  Unread = 2,
}

/** A user signed in on a connection (channels-wire §3.6). */
export interface SignedInUser {
  readonly id: string;
  readonly userInfoJson?: string;
  readonly watchlist: readonly string[];
}

/** A channel that a connection is subscribed to; `member` is set on presence channels. */
export interface Subscription {
  readonly channel: ChannelName;
  readonly member?: Member;
  /** The version of the first roster that shows this member: earlier updates are of another, who has left. */
  memberVersion?: number;
  /** Set by the sign-in, on the user's own channel: the client has not subscribed itself yet. */
  readonly isBySignin?: true;
}

/** Something to do for a connection, after all earlier work of it. */
export type Work = () => void | Promise<void>;

/** Receives the events of connections; one listener serves all of them. */
export interface ConnectionListener {
  onText(connection: Connection, text: string): void;
  /** Called once, whatever ended the connection. */
  onClosed(connection: Connection): void;
  /** The client is to be closed: a message took too long, or too much is incomplete. */
  onInputRefused(connection: Connection, limit: 'processInputBytes' | 'messageMs'): void;
  /** The client sent more of what only keeps the connection alive than is free. */
  onHeartbeat(connection: Connection): void;
  /** Called once, when the client has proven that it stays, unless it had when it connected. */
  onConfirmed(connection: Connection): void;
  /** A ping is being sent: its answer acknowledges what was sent before. */
  onPinged(connection: Connection): void;
  /** The client has not read all that was sent. */
  onWaiting(connection: Connection): void;
  /** The connection was closed because the client reads too slowly. */
  onTooSlow(connection: Connection): void;
}

/** One client, on whatever transport. It has no timer and no closure of its own. */
export class Connection implements TransportListener, OutputListener {
  /** Subscriptions by channel name; absent until the first. */
  subscriptions: Map<string, Subscription> | undefined;
  user: SignedInUser | undefined;
  /** The upgrade request; kept only where a SocketAuthorizer needs it. */
  request: IncomingMessage | undefined;
  /** The user of the host's own login, as a SocketAuthorizer reported it. */
  hostUser: HostUser | undefined;
  /** The client's address as a trusted proxy reported it; absent for clients without one. */
  forwardedAddress: string | undefined;
  /** The network by which the client is counted; absent for private addresses. */
  network: ClientAccount | undefined;
  /** The origin of the page, as the browser reported it. */
  origin: string | undefined;
  /** The code and reason of the close, whichever side closed it. */
  ending: { readonly code: number; readonly reason: string } | undefined;
  /** The key that the client connected with. */
  key: string | undefined;
  /** The name by which other processes find it, where its requests may reach any process. */
  httpName: string | undefined;
  /** Whether it has signed in or joined a private or presence channel (channels-wire §1.5, authorized connections). */
  isAuthorized = false;
  /** Whether it counts towards the connections of its app. */
  isAdmitted = false;
  /** Rounds of the keep-alive since the client's last activity. */
  idleRounds = 0;
  /** What the client has sent in this round of the keep-alive that only keeps the connection alive. */
  heartbeats = 0;
  isClosed = false;
  /** A time of `performance.now()`. */
  readonly openedAt = performance.now();
  /** Whether work of the client is in progress: its messages are handled one at a time. */
  isBusy = false;
  /** The work that follows; absent when there is none. */
  waiting: Work[] | undefined;
  /** What features keep with it, each in its {@link Slot}; absent until the first does. */
  slots: unknown[] | undefined;
  /** What the client has caused; absent until it has subscribed or was refused. */
  account: ClientAccount | undefined;

  /** Whether the client reads what it is sent; absent until it has been sent much. */
  private proof: ReadingProof | undefined;
  private pausedFor = 0;
  private readonly output: Output;
  /** Pings sent and pings answered: answers carry no id, so they are matched by order. */
  private pings = 0;
  private pongs = 0;
  /** Waiting acknowledgements; absent until the first. */
  private acknowledgements: Acknowledgements | undefined;

  /** @param queuedBytes how many bytes may wait for the client; more closes the connection */
  constructor(
    /** The app with its current settings: replaced when they change. */
    public app: App,
    readonly socketId: string,
    readonly protocol: number,
    private readonly transport: Transport,
    queuedBytes: number,
    writes: WriteScheduler,
    private readonly listener: ConnectionListener,
  ) {
    this.output = new Output(transport, queuedBytes, writes, this);
    if (transport.opening) this.output.answer(transport.opening);
  }

  /** Whether the client has proven that it stays: before that, it does not count towards its app's connections. */
  get isConfirmed(): boolean {
    return this.transport.isConfirmed;
  }

  get encoding(): Encoding {
    return this.transport.encoding;
  }

  /** The client's address, for display; empty once nothing is known any more. */
  get remoteAddress(): string {
    return this.forwardedAddress ?? readAddress(this.transport.peerAddress) ?? '';
  }

  /** Sends a text to this connection alone. */
  send(text: string): void {
    this.output.answer(this.transport.encoding.encode(text));
  }

  /** Sends texts to this connection alone, as fast as the client reads. */
  sendAll(texts: readonly string[]): Promise<void> {
    return this.output.answerAll(each(texts));
  }

  /**
   * Puts the connection on a channel, and sends the texts of the answer as fast as the client reads. If the texts fail,
   * the connection is closed, so that the client reconnects: part of an answer would be an undetected gap.
   * @returns what the texts return
   * @throws what the texts throw
   */
  async confirm<Result>(subscription: Subscription, texts: AsyncGenerator<SentText, Result, number>): Promise<Result> {
    const { name, access } = subscription.channel;
    this.subscriptions ??= new Map();
    this.subscriptions.set(name, subscription);
    this.account?.add('subscriptions', 1);
    if (access === 'private' || access === 'presence') this.isAuthorized = true;
    try {
      return await this.output.answerAll(texts);
    } catch (error) {
      this.close(ProtocolError.overCapacity());
      throw error;
    }
  }

  /** Takes the connection off a channel. */
  left(name: string): void {
    if (this.subscriptions?.delete(name)) this.account?.add('subscriptions', -1);
  }

  /** Adds encoded bytes to the write at the end of the tick. */
  enqueue(bytes: Buffer): void {
    this.output.enqueue(bytes);
  }

  /** Prompts a silent client to answer. */
  ping(): void {
    this.pinged();
    this.output.enqueue(this.transport.encoding.ping);
  }

  /** Pings the client library itself: no browser answers for it, and the answer follows all that was sent before. */
  pingText(): void {
    this.pinged();
    this.output.enqueue(this.transport.encoding.encode(frames.ping));
  }

  /** Asks the client to acknowledge all that was sent until now; calls `handled` when it has. */
  ask(handled: () => void): void {
    this.awaitAcknowledgement(handled);
    this.pingForAnswers();
  }

  /** Calls back when the client has acknowledged all that was sent until now, without asking it at once. */
  awaitAcknowledgement(acknowledged: () => void): void {
    this.acknowledgements ??= new Acknowledgements();
    this.acknowledgements.add(acknowledged);
  }

  /** Pings the client if an acknowledgement waits for it, unless it owes too many answers: then after its next one. */
  pingForAnswers(): void {
    if (this.acknowledgements?.areWaiting && !this.owesAnswers) this.pingText();
  }

  /** Whether it is not pinged again until it has answered. */
  get owesAnswers(): boolean {
    return this.pings - this.pongs >= maxUnanswered;
  }

  /** Whether its answers acknowledge anything. */
  get awaitsAcknowledgement(): boolean {
    return this.acknowledgements !== undefined;
  }

  /** The client answered the oldest unanswered ping, or none at all. */
  ponged(): void {
    if (this.pongs === this.pings) return this.onHeartbeat();
    this.pongs += 1;
    this.acknowledgements?.ponged(this.pongs);
    this.pingForAnswers();
  }

  /** Bytes queued because the client reads slowly, or because they are not written yet. */
  get waitingBytes(): number {
    return this.output.waitingBytes;
  }

  /** Closes with the error's code and reason, after an error frame where the protocol needs one (§1.5). */
  close(error: ProtocolError): void {
    if (error.isSentBeforeClose(this.protocol) && !this.isClosed) this.send(frames.error(error));
    this.end(error.code ?? 1000, error.message);
  }

  /** Ends it for everyone except its client, which {@link closeDetached} tells later. What was sent before still arrives. */
  detach({ code, message }: ProtocolError): void {
    this.output.flush();
    if (this.isClosed) return;
    this.ending = { code: code ?? 1000, reason: message };
    this.over();
  }

  /** Closes a detached connection. */
  closeDetached(error: ProtocolError): void {
    if (this.isDestroyed) return;
    const due = error.isSentBeforeClose(this.protocol) ? this.encoding.encode(frames.error(error)) : undefined;
    this.transport.close(due, error.code ?? 1000, error.message);
  }

  /** The number of its open sockets. */
  get sockets(): number {
    return this.transport.sockets;
  }

  /** Ends it without a close: the time to answer one has passed. */
  destroy(): void {
    this.transport.destroy();
  }

  get isDestroyed(): boolean {
    return this.transport.isDestroyed;
  }

  /** Asks the client to prove that it reads, if much was sent since it was last asked. */
  askForProof(): void {
    if (!this.output.hasSentMuch()) return;
    this.proof ??= new ReadingProof();
    this.transport.askEcho(this.proof.next());
  }

  /** Whether the client was to prove that it reads, and has proven nothing for so long. */
  hasProvenNothingFor(ms: number, now: number): boolean {
    return this.proof !== undefined && this.proof.waitsSince < now - ms;
  }

  /** Stops reading, for one reason of several. */
  pauseReading(reason: PauseReason): void {
    if (this.pausedFor === 0) this.transport.pauseReading();
    this.pausedFor |= reason;
  }

  /** Reads again, once it is paused for no other reason. */
  resumeReading(reason: PauseReason): void {
    if (this.pausedFor === 0) return;
    this.pausedFor &= ~reason;
    if (this.pausedFor === 0) this.transport.resumeReading();
  }

  // Called by the transport.

  onActivity(): void {
    this.idleRounds = 0;
  }

  get inputAddress(): string {
    return this.remoteAddress;
  }

  onInputRefused(limit: 'processInputBytes' | 'messageMs'): void {
    this.listener.onInputRefused(this, limit);
  }

  onHeartbeat(): void {
    this.heartbeats += 1;
    if (this.heartbeats > freeHeartbeats) this.listener.onHeartbeat(this);
  }

  onEcho(number: number): void {
    if (!this.proof?.echoed(number)) this.onHeartbeat();
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

  onWaiting(): void {
    this.listener.onWaiting(this);
  }

  onTooSlow(): void {
    this.listener.onTooSlow(this);
    this.close(ProtocolError.tooSlow());
  }

  private pinged(): void {
    this.pings += 1;
    this.listener.onPinged(this);
    this.acknowledgements?.pinged(this.pings);
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

async function* each(texts: readonly string[]): AsyncGenerator<string, void, number> {
  yield* texts;
}
