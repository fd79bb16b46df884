import { ReplyError } from 'ioredis';
import { expect, it } from 'vitest';
import { isReplyError } from './reply-error.js';

/** As a minifier renames it. */
class r extends (ReplyError as ErrorConstructor) {}

it.each([
  ['an answer of Redis', new (ReplyError as ErrorConstructor)('OOM'), true],
  ['one whose class a minifier has renamed', new r('OOM'), true],
  ['a lost connection', new Error('Connection is closed.'), false],
  ['what is no error', 'OOM', false],
])('recognizes %s', (_, error, isReply) => {
  expect(isReplyError(error)).toBe(isReply);
});
