import { array, assert, constantFrom, property, string } from 'fast-check';
import { describe, expect, it } from 'vitest';
import { glob } from './glob.js';

const texts = string({ unit: constantFrom('a', 'b', '.') });
const patterns = array(constantFrom('a', 'b', '.', '*'), { maxLength: 8 }).map((each) => each.join(''));

/** Tries every way in which the pattern could be the text. */
function isLike(pattern: string, text: string): boolean {
  if (pattern === '') return text === '';
  if (pattern[0] !== '*') return pattern[0] === text[0] && isLike(pattern.slice(1), text.slice(1));
  return isLike(pattern.slice(1), text) || (text !== '' && isLike(pattern, text.slice(1)));
}

describe('a pattern with *', () => {
  it.each([
    ['private-*', 'private-', true],
    ['private-*', 'presence-1', false],
    ['*.example.com', 'a.b.example.com', true],
    ['*.example.com', 'example.com', false],
    ['a*a', 'a', false],
    ['*', '', true],
    ['(a+)*$', '(a+)$', true],
  ])('%s is like %s: %s', (pattern, text, expected) => expect(glob(pattern)(text)).toBe(expected));

  it('matches the same texts as an exhaustive search', () => {
    assert(property(patterns, texts, (pattern, text) => glob(pattern)(text) === isLike(pattern, text)));
  });

  it('matches a long text in bounded time, for any pattern', () => {
    const text = 'a.'.repeat(100_000);
    expect(glob('*.a*.a*.a*.a*.a*.a*.a*.b')(text)).toBe(false);
    expect(glob(`${'*a'.repeat(50)}*b`)(text)).toBe(false);
  });
});
