import type { IncomingMessage } from 'node:http';
import { GrowingBuffer, Unavailable } from '#common';
import { peerAddress } from './client-address.js';
import { BodyTooLarge } from './raw-body.js';
import { unfinishedInput, type UnfinishedOwner } from './unfinished-input.js';

const none = Buffer.alloc(0);

/** How much of an oversized body is read and dropped, so that the client reads its answer. */
const drainBytes = 1024 * 1024;

/** Receives the body, or the error; `unread`: the connection cannot be reused. */
export type BodyRead = (body: Buffer | Error, unread?: boolean) => void;

/**
 * Reads a request's body of at most `limit` bytes and calls `done` once. Nothing beyond the limit is kept.
 * @param inputAddress of the client, by which the body is counted until it is complete
 */
export function readBody(
  request: IncomingMessage,
  limit: number,
  done: BodyRead,
  inputAddress = peerAddress(request),
): void {
  if (!announcesLength(request)) return done(none);
  if (Number(request.headers['content-length']) > limit + drainBytes) return done(new BodyTooLarge(limit), true);

  const kept = new GrowingBuffer(limit);
  let size = 0;
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
  const onData = (chunk: Buffer): void => {
    size += chunk.length;
    if (size <= limit) {
      kept.add(chunk);
      return unfinishedInput.hold(owner, size);
    }
    kept.clear();
    unfinishedInput.hold(owner, 0);
    if (size <= limit + drainBytes) return;
    request.pause();
    finish(new BodyTooLarge(limit), true);
  };
  const onEnd = (): void => {
    if (size > limit) finish(new BodyTooLarge(limit));
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
