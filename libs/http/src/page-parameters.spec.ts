import { assert, property, string } from 'fast-check';
import { expect, it } from 'vitest';
import { cursorAfter, nameIn } from './page-parameters.js';

const isInterest = (name: string) => /^[\w=@,.;-]{1,164}$/.test(name);

const interestOf = (cursor: string) => nameIn(cursor, isInterest);

it.each(['a', 'x'.repeat(164), '_=@,.;-'])('survives the round trip through its cursor: %s', (interest) => {
  expect(cursorAfter(interest)).toMatch(/^[\w-]+$/);
  expect(interestOf(cursorAfter(interest))).toBe(interest);
});

it.each(['', 'a', 'aa', 'Pg', `${cursorAfter('a')}=`, `${cursorAfter('a')}A`, cursorAfter('a b'), '💬', '\0'])(
  'takes %j for no cursor',
  (text) => expect(interestOf(text)).toBeUndefined(),
);

it('accepts only cursors that it made', () => {
  assert(
    property(string(), (text) => {
      const interest = interestOf(text);
      return interest === undefined || cursorAfter(interest) === text;
    }),
  );
});
