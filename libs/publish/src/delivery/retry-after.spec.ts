import { expect, it } from 'vitest';
import { retryAfterMs } from './retry-after.js';

const now = Date.UTC(2026, 0, 1, 12, 0, 0);

it.each([
  ['seconds', '120', 120_000],
  ['no wait', '0', 0],
  ['a date', 'Thu, 01 Jan 2026 12:01:00 GMT', 60_000],
  ['a date that is past', 'Thu, 01 Jan 2026 11:00:00 GMT', 0],
  ['a date of the old form', 'Thursday, 01-Jan-26 12:00:30 GMT', 30_000],
  ['the first of several', ['5', '6'], 5000],
  ['too long a wait', '999999999999', 24 * 3600 * 1000],
  ['nothing', undefined, undefined],
  ['an empty header', ' ', undefined],
  ['nonsense', 'soon', undefined],
])('reads %s', (_what, header, expected) => {
  expect(retryAfterMs(header, now)).toBe(expected);
});
