import { EventEmitter } from 'node:events';
import type { IncomingMessage } from 'node:http';
import { expect, it } from 'vitest';
import { usedBytes } from '../../../test/support/memory.js';
import { until } from '../../../test/support/until.js';
import { BodyTooLarge } from './raw-body.js';
import { readBody } from './read-body.js';

/** A request whose body comes when a test says so. */
class Coming extends EventEmitter {
  readonly socket = { remoteAddress: '127.0.0.1' };

  constructor(readonly headers: Readonly<Record<string, string>>) {
    super();
  }
  pause(): void {}
}

function read(limit: number, headers: Readonly<Record<string, string>> = { 'transfer-encoding': 'chunked' }) {
  const request = new Coming(headers);
  const answers: (Buffer | Error)[] = [];
  readBody(request as unknown as IncomingMessage, { limit }, (body) => answers.push(body));
  return { request, answers };
}

it.each([['chunked'], ['announced']])('keeps a body that arrives in single bytes in little more memory: %s', (how) => {
  const bytes = 100_000;
  const headers = how === 'chunked' ? undefined : { 'content-length': String(bytes) };
  const { request, answers } = read(1_000_000, headers);
  const before = usedBytes();
  for (let i = 0; i < bytes; i++) request.emit('data', Buffer.from(Buffer.from([i])));
  expect(usedBytes() - before).toBeLessThan(1_000_000);
  request.emit('end');
  expect((answers[0] as Buffer).subarray(0, 4)).toEqual(Buffer.from([0, 1, 2, 3]));
  expect(answers).toEqual([expect.objectContaining({ length: bytes })]);
});

it('does not trust the announced length: no memory is reserved before the bytes arrive', () => {
  const { request, answers } = read(100_000_000, { 'content-length': '100000000' });
  request.emit('data', Buffer.alloc(10));
  request.emit('data', Buffer.alloc(10));
  request.emit('end');
  expect((answers[0] as Buffer).buffer.byteLength).toBeLessThan(100_000);
});

it('keeps nothing of an oversized body', async () => {
  const before = usedBytes();
  const all = Array.from({ length: 20 }, () => read(1000));
  for (const { request } of all)
    for (let bytes = 0; bytes < 450_000; bytes += 1000) request.emit('data', Buffer.alloc(1000));
  // Memory outside of the heap is given back a little later.
  await until(() => usedBytes() - before < 5_000_000, 'what came is forgotten');
  for (const { request } of all) request.emit('end');
  expect(all.flatMap(({ answers }) => answers)).toEqual(all.map(() => expect.any(BodyTooLarge) as BodyTooLarge));
});
