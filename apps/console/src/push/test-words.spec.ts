import { expect, it } from 'vitest';
import { testSentence } from './test-words.js';

it.each([
  ['INTERNAL', 'Google could not take it now: INTERNAL, after 12 ms.'],
  ['HTTP 500', 'Google could not take it now: HTTP 500, after 12 ms.'],
  ['Timeout', 'Google could not be reached now: Timeout, after 12 ms.'],
  ['Unreachable (ECONNREFUSED)', 'Google could not be reached now: Unreachable (ECONNREFUSED), after 12 ms.'],
  ['NoAccessToken (Timeout)', 'Google could not be reached now: NoAccessToken (Timeout), after 12 ms.'],
  ['NoAccessToken (HTTP 500)', 'Google could not take it now: NoAccessToken (HTTP 500), after 12 ms.'],
])('tells an answer from silence: %s', (reason, words) => {
  expect(testSentence('fcm', { outcome: 'later', reason, durationMs: 12 })).toBe(words);
});
