import { expect, it } from 'vitest';
import { secondsIn } from './administration.js';

it.each([
  ['45s', 45],
  ['90m', 5400],
  ['12h', 43_200],
  ['7d', 604_800],
])('reads %s as %d seconds', (text, seconds) => expect(secondsIn(text)).toBe(seconds));

it.each(['7', 'd', '-1d', '1.5h', '1w'])('refuses %s', (text) => expect(() => secondsIn(text)).toThrow(/such as 12h/));
