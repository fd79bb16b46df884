import type { IncomingMessage } from 'node:http';
import { GrowingBuffer } from '#common';
import { BodyTooLarge } from './raw-body.js';

const none = Buffer.alloc(0);

/** How much of an oversized body is read and dropped, so that the client reads its answer. */
const drainBytes = 1024 * 1024;

/** Receives the body, or the error; `unread`: the connection cannot be reused. */
export type BodyRead = (body: Buffer | Error, unread?: boolean) => void;

/** Reads a request's body of at most `limit` bytes and calls `done` once. Nothing beyond the limit is kept. */
export function readBody(request: IncomingMessage, limit: number, done: BodyRead): void {
  if (!announcesLength(request)) return done(none);
  if (Number(request.headers['content-length']) > limit + drainBytes) return done(new BodyTooLarge(limit), true);

  const kept = new GrowingBuffer(limit);
  let size = 0;
  const finish = (body: Buffer | Error, unread?: boolean): void => {
    request.off('data', onData).off('end', onEnd).off('error', onGone).off('close', onGone);
    done(body, unread);
  };
  const onData = (chunk: Buffer): void => {
    size += chunk.length;
    if (size <= limit) return kept.add(chunk);
    kept.clear();
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

/** No client remains to read the answer; the status keeps the error out of the log. */
class ClientGone extends Error {
  readonly statusCode = 400;
  constructor() {
    super('The client went away while it sent the body.');
  }
}
