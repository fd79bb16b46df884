import { expect, it } from 'vitest';
import { type Duration, millisecondsIn } from './duration.js';

it.each<[Duration, number]>([
  ['250 ms', 250],
  ['1 second', 1000],
  ['1.5 seconds', 1500],
  ['10 minutes', 600_000],
  ['2 hours', 7_200_000],
])('reads %s', (duration, milliseconds) => expect(millisecondsIn(duration)).toBe(milliseconds));

it('refuses other texts', () => {
  expect(() => millisecondsIn('soon' as Duration)).toThrow("got 'soon'");
});
