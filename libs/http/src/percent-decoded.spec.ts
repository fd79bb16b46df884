import { array, assert, constantFrom, property } from 'fast-check';
import { expect, it } from 'vitest';
import { percentDecoded } from '#http';

it.each([
  ['plain+', 'plain+'],
  ['a%20b', 'a b'],
  ['%c3%BC%e2%82%ac%F0%9F%98%80', 'ü€😀'],
  ['100%', '100%'],
  ['%ff', '%ff'],
  ['%c0%80', '%c0%80'],
  ['%ed%a0%80', '%ed%a0%80'],
  ['%f4%90%80%80', '%f4%90%80%80'],
  ['%e2%82', '%e2%82'],
  ['a%20b%', 'a%20b%'],
])('%s decodes to %s', (text, decoded) => {
  expect(percentDecoded(text)).toBe(decoded);
});

it('decodes what decodeURIComponent does', () => {
  const leads = [
    '%00',
    '%7f',
    '%80',
    '%8f',
    '%90',
    '%9F',
    '%a0',
    '%bf',
    '%c2',
    '%df',
    '%e0',
    '%ED',
    '%ef',
    '%f0',
    '%f4',
  ];
  const text = array(constantFrom(...leads, '%', 'a', 'ü', '\ud800'), { maxLength: 6 }).map((parts) => parts.join(''));
  const reference = (each: string): string => {
    try {
      return decodeURIComponent(each);
    } catch {
      return each;
    }
  };
  assert(
    property(text, (each) => {
      expect(percentDecoded(each)).toBe(reference(each));
    }),
    { numRuns: 5000 },
  );
});
