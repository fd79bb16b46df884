import type { IncomingMessage } from 'node:http';
import { type Awaitable, GrowingBuffer, Unavailable } from '#common';
import { peerAddress } from './client-address.js';
import { BodyTooLarge } from './raw-body.js';
import { unfinishedInput, type UnfinishedOwner } from './unfinished-input.js';

const none = Buffer.alloc(0);

/** How much of an oversized body is read and dropped, so that the client reads its answer. */
const drainBytes = 1024 * 1024;

/** Receives the body, or the error; `unread`: the connection cannot be reused. */
export type BodyRead = (body: Buffer | Error, unread?: boolean) => void;

export interface BodyReading {
  /** In bytes. */
  readonly limit: number;
  /** The client's, by which the body is counted until it is complete. @default that of the other end */
  readonly inputAddress?: string;
  /** Throws or rejects with what refuses the request by its head alone. */
  readonly checkHead?: (() => Awaitable<void>) | undefined;
}

/**
 * Reads a request's body of at most `limit` bytes and calls `done` once. Nothing beyond the limit is kept, and nothing of
 * a request that its head refuses: that is checked only for a body that does not come at once.
 */
export function readBody(
  request: IncomingMessage,
  { limit, inputAddress = peerAddress(request), checkHead }: BodyReading,
  done: BodyRead,
): void {
  if (!announcesLength(request)) return done(none);
  const length = Number(request.headers['content-length'] ?? NaN);
  if (length > limit + drainBytes) return done(new BodyTooLarge(limit), true);

  const kept = new GrowingBuffer(limit);
  let size = 0;
  let isChecked = checkHead === undefined;
  let refusal: Error | undefined;
  const owner: UnfinishedOwner = {
    inputAddress,
    refuseInput: () => {
      request.pause();
      finish(new TooMuchInput(), true);
    },
  };
  const finish = (body: Buffer | Error, unread?: boolean): void => {
    unfinishedInput.hold(owner, 0);
    request.off('data', onData).off('end', onEnd).off('error', onGone).off('close', onGone);
    done(body, unread);
  };
  const refuse = (error: Error): void => {
    refusal = error;
    drop();
  };
  const drop = (): void => {
    kept.clear();
    unfinishedInput.hold(owner, 0);
  };
  const check = (): void => {
    isChecked = true;
    try {
      const checked = checkHead?.();
      if (checked instanceof Promise) checked.catch(refuse);
    } catch (error) {
      refuse(error as Error);
    }
  };
  const onData = (chunk: Buffer): void => {
    size += chunk.length;
    if (!isChecked && size !== length) check();
    if (size <= limit && !refusal) {
      kept.add(chunk);
      return unfinishedInput.hold(owner, size);
    }
    drop();
    if (size <= limit + drainBytes) return;
    request.pause();
    finish(refusal ?? new BodyTooLarge(limit), true);
  };
  const onEnd = (): void => {
    if (refusal) finish(refusal);
    else if (size > limit) finish(new BodyTooLarge(limit));
    else finish(kept.bytes);
  };
  const onGone = (): void => finish(new ClientGone(), true);
  request.on('data', onData).on('end', onEnd).on('error', onGone).on('close', onGone);
}

/** An empty body with a length is read too: otherwise a host's parser behind this one would check its type. */
const announcesLength = ({ headers }: IncomingMessage): boolean =>
  headers['transfer-encoding'] !== undefined || headers['content-length'] !== undefined;

/** Answered 503: the process keeps too much of requests that are incomplete. */
class TooMuchInput extends Unavailable {
  override readonly message = 'Too many requests are incomplete';
  constructor() {
    super('Memory for requests');
  }
}

/** No client remains to read the answer; the status keeps the error out of the log. */
class ClientGone extends Error {
  readonly statusCode = 400;
  constructor() {
    super('The client went away while it sent the body.');
  }
}
