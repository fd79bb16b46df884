import { expect, it } from 'vitest';
import * as reserved from './reserved-channels.js';

it.each([
  ['of a user’s sessions', () => reserved.sessionsOf('7'), { isSessions: true, watched: undefined, isRequests: false }],
  ['of a user’s watchers', () => reserved.watchersOf('7'), { isSessions: false, watched: '7', isRequests: false }],
  ['of requests', () => reserved.requestsOf('7'), { isSessions: false, watched: undefined, isRequests: true }],
  ['of a process', () => reserved.nodeOf('7'), { isSessions: false, watched: undefined, isRequests: false }],
])('the channel %s is recognized, and reserved', (_, channel, expected) => {
  const name = channel();
  const found = {
    isSessions: reserved.isSessions(name),
    watched: reserved.watchedOn(name),
    isRequests: reserved.isRequests(name),
  };
  expect(found).toEqual(expected);
  expect([reserved.isReserved(name), reserved.isReserved(`private-${name}`)]).toEqual([true, false]);
});
