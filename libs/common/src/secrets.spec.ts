import { expect, it } from 'vitest';
import { sameSecret } from 'rookery/common';

it.each([
  ['secret', 'secret', true],
  ['secret', 'Secret', false],
  ['secret', 'secrets', false],
  ['', 'secret', false],
])('compares %j with %j: %j', (given, expected, same) => {
  expect(sameSecret(given, expected)).toBe(same);
});
