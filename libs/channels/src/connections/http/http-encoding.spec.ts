import { expect, it } from 'vitest';
import { closed, httpEncoding } from './http-encoding.js';

it.each(['{"event":"e"}', 'é', '中', '😀', '\ud800', '"\\\n\r\u2028\u007f\u0000'])(
  'encodes %j in one line of ASCII',
  (text) => {
    const line = httpEncoding.encode(text).toString();
    expect(line).toMatch(/^a\[[\x20-\x7f]*\]\n$/);
    expect(JSON.parse(line.slice(1))).toEqual([text]);
  },
);

it('contains the code and reason of a close', () =>
  expect(closed(4001, '“é”').toString()).toBe('c[4001,"\\u201c\\u00e9\\u201d"]\n'));
