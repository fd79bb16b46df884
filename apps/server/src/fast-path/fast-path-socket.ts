import type { Socket } from 'node:net';
import { readAddress, unfinishedInput, type UnfinishedOwner } from 'rookery/internal/http';
import { GrowingBuffer } from 'rookery/internal/common';
import { answerHead } from './answer-head.js';
import type { FastPathAnswer, FastPathRoute, FastPathRoutes } from './fast-path-routes.js';
import { plainPostHead, type RequestHead } from './request-head.js';

/** The answer to a request that is given up, because too much is unfinished. */
const overCapacity =
  'HTTP/1.1 503 Service Unavailable\r\nRetry-After: 1\r\nContent-Length: 0\r\nConnection: close\r\n\r\n';

const state = Symbol('rookery.fast-path');
type TakenSocket = Socket & { [state]?: FastPathSocket };

/** Owns all these connections and provides Node's behaviour for them. */
export interface FastPathSocketOwner {
  readonly routes: FastPathRoutes;
  readonly now: number;
  readonly keepAliveMs: number | undefined;
  passOn(socket: Socket): void;
  /** The head of a connection's first request has been read. */
  heard(socket: Socket): void;
  fail(socket: Socket, error: Error & { readonly code: string }): void;
  forget(socket: FastPathSocket): void;
}

/** A request whose head has been read. */
interface Coming {
  readonly head: RequestHead;
  readonly route: FastPathRoute;
  isChecked: boolean;
  /** What its head is answered with: its body is dropped. */
  refusal: FastPathAnswer | undefined;
  /** The bytes of its body that are still to be dropped. */
  toDrop: number;
}

/**
 * One connection of the HTTP server, which we read as long as its requests are plain triggers. The first other request
 * goes to Node, with everything after it.
 */
export class FastPathSocket implements UnfinishedOwner {
  /** When it became idle or a request began, in the owner's `now`. */
  since: number;
  private readonly unread = new GrowingBuffer();
  private coming: Coming | undefined;
  private isAnswering = false;
  private isAdvancing = false;
  private hasEnded = false;
  private hasServed = false;
  private isOver = false;
  private isUnfinished = false;

  constructor(
    private readonly socket: TakenSocket,
    private readonly owner: FastPathSocketOwner,
  ) {
    this.since = owner.now;
    socket[state] = this;
    socket.on('data', onData).on('end', onEnd).on('drain', onDrain).on('error', onError).on('close', onClose);
  }

  /** Whether it waits for a request. */
  get isIdle(): boolean {
    return !this.isAnswering && !this.hasBegun && this.socket.writableLength === 0;
  }

  /** Whether it has sent nothing yet. */
  get isFresh(): boolean {
    return !this.hasServed && this.isIdle;
  }

  /** Whether a request has begun but is incomplete. */
  get isIncomplete(): boolean {
    return !this.isAnswering && this.hasBegun;
  }

  /** Whether bytes of a request have come that is not answered. */
  private get hasBegun(): boolean {
    return this.unread.length > 0 || this.coming !== undefined;
  }

  take(chunk: Buffer): void {
    if (this.isOver) return;
    if (!this.hasBegun) this.since = this.owner.now;
    if (this.coming?.refusal) this.drop(this.coming, chunk);
    else this.unread.add(chunk);
    this.advance();
    this.noteUnfinished();
  }

  // Called for what is unfinished.

  get inputAddress(): string {
    const peer = readAddress(this.socket.remoteAddress ?? '') ?? '';
    return this.coming ? this.owner.routes.heads.clientAddress(this.coming.head, peer) : peer;
  }

  refuseInput(): void {
    this.unread.clear();
    this.socket.write(overCapacity);
    this.finish();
  }

  /** The client has closed its side. */
  end(): void {
    this.hasEnded = true;
    this.advance();
  }

  /** Answers the request in progress. */
  private answer(answer: FastPathAnswer): void {
    const { socket, owner } = this;
    const keepAliveMs = this.coming?.head.keepAlive && !this.hasEnded ? owner.keepAliveMs : undefined;
    this.coming = undefined;
    this.isAnswering = false;
    this.hasServed = true;
    this.since = owner.now;
    if (socket.destroyed) return;
    const { body } = answer;
    const bytes = Buffer.byteLength(body);
    const head = answerHead(answer, bytes, keepAliveMs);
    socket.write(head + body, bytes === body.length ? 'latin1' : 'utf8');
    if (keepAliveMs === undefined) this.finish();
    else this.advance();
  }

  /** Hands the connection to Node, with the unread bytes. */
  passToNode(): Socket {
    const { socket, owner, unread } = this;
    this.letGo();
    socket.off('data', onData).off('end', onEnd).off('drain', onDrain).off('error', onError).off('close', onClose);
    // Node would wait for us to resume the socket.
    socket.resume();
    owner.passOn(socket);
    if (unread.length > 0) socket.unshift(unread.bytes);
    return socket;
  }

  fail(message: string, code: string): void {
    this.letGo();
    this.owner.fail(this.socket, Object.assign(new Error(message), { code }));
  }

  destroy(): void {
    this.socket.destroy();
  }

  letGo(): void {
    this.socket[state] = undefined;
    this.owner.forget(this);
    this.forgetUnfinished();
  }

  private forgetUnfinished(): void {
    if (this.isUnfinished) unfinishedInput.hold(this, 0);
    this.isUnfinished = false;
  }

  private noteUnfinished(): void {
    const bytes = this.isOver || this.socket[state] !== this ? 0 : this.unread.length;
    if (bytes === 0 && !this.isUnfinished) return;
    this.isUnfinished = bytes > 0;
    unfinishedInput.hold(this, bytes);
  }

  /** Destroys the socket in any case: a client that never closes its side would keep it open. */
  private finish(): void {
    this.isOver = true;
    this.socket.destroySoon();
  }

  /** Reads request after request, until bytes are missing or an answer is pending. */
  advance(): void {
    // A synchronous answer calls this method again.
    if (this.isAdvancing) return;
    this.isAdvancing = true;
    while (this.isReady && this.readOne());
    this.isAdvancing = false;
    this.pace();
  }

  private get isReady(): boolean {
    return !this.isAnswering && !this.isOver && this.unread.length > 0 && !this.socket.writableNeedDrain;
  }

  /** @returns whether a request was complete */
  private readOne(): boolean {
    this.coming ??= this.readHead();
    if (!this.coming) return false;
    const { head, route } = this.coming;
    const size = head.size + head.bodySize;
    if (this.unread.length < size) {
      this.checkHead(this.coming);
      return false;
    }
    const { bytes } = this.unread;
    this.unread.clear();
    if (bytes.length > size) this.unread.add(bytes.subarray(size));
    this.isAnswering = true;
    const answer = route(head.url, bytes.subarray(head.size, size));
    if (answer instanceof Promise) void answer.then((each) => this.answer(each));
    else this.answer(answer);
    return true;
  }

  private readHead(): Coming | undefined {
    const head = plainPostHead(this.unread.bytes);
    if (head === 'incomplete') return undefined;
    const route = head && this.owner.routes.find(head);
    if (head && route) {
      // From here on it is counted for the client that the head names.
      this.forgetUnfinished();
      if (!this.hasServed) this.owner.heard(this.socket);
      return { head, route, isChecked: false, refusal: undefined, toDrop: 0 };
    }
    this.passToNode();
    return undefined;
  }

  /** Before a body is kept that is still to come: most come with their heads. */
  private checkHead(coming: Coming): void {
    if (coming.isChecked) return;
    coming.isChecked = true;
    const refusal = this.owner.routes.heads.refusal(coming.head);
    if (refusal instanceof Promise) void refusal.then((each) => this.refuse(coming, each));
    else this.refuse(coming, refusal);
  }

  private refuse(coming: Coming, refusal: FastPathAnswer | undefined): void {
    if (!refusal || this.coming !== coming || this.isAnswering || this.isOver) return;
    coming.refusal = refusal;
    coming.toDrop = coming.head.size + coming.head.bodySize - this.unread.length;
    this.unread.clear();
    this.noteUnfinished();
  }

  /** Drops what belongs to a refused request, and answers it once the client has sent all of it. */
  private drop(coming: Coming, chunk: Buffer): void {
    const rest = chunk.subarray(coming.toDrop);
    coming.toDrop -= chunk.length - rest.length;
    if (rest.length > 0) this.unread.add(rest);
    if (coming.toDrop === 0) this.answer(coming.refusal!);
  }

  /** Pauses a client that sends more than is answered, or does not read the answers. */
  private pace(): void {
    const { socket } = this;
    if (socket[state] !== this || this.isOver) return;
    const mustWait = (this.isAnswering && this.unread.length > 0) || socket.writableNeedDrain;
    if (mustWait) socket.pause();
    else if (socket.isPaused()) socket.resume();
    if (!this.hasEnded || this.isAnswering) return;
    if (this.hasBegun) this.fail('Parse Error: Invalid EOF state', 'HPE_INVALID_EOF_STATE');
    else this.finish();
  }
}

// One shared function for all sockets.
function onData(this: TakenSocket, chunk: Buffer): void {
  this[state]?.take(chunk);
}
function onEnd(this: TakenSocket): void {
  this[state]?.end();
}
function onDrain(this: TakenSocket): void {
  this[state]?.advance();
}
function onError(this: TakenSocket): void {
  this.destroy();
}
function onClose(this: TakenSocket): void {
  this[state]?.letGo();
}
