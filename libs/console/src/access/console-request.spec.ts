import { expect, it } from 'vitest';
import { cookieOf } from './console-request.js';

it.each([
  ['rookery_console=abc', 'abc'],
  ['a=1; rookery_console=abc; b=2', 'abc'],
  ['a=1;rookery_console = abc ;b', 'abc'],
  ['rookery_console=first; rookery_console=second', 'first'],
  ['not_rookery_console=abc', undefined],
  ['rookery_console', undefined],
  [';'.repeat(16_000), undefined],
  ['', undefined],
])('the cookie of %j is %j', (cookie, value) => {
  expect(cookieOf({ method: 'GET', headers: { cookie } })).toBe(value);
});
