import { expect, it } from 'vitest';
import { RecentTexts } from './recent-texts.js';

const counted = (maxCharacters: number) => {
  const texts = new RecentTexts<number>(maxCharacters);
  let count = 0;
  return (text: string) => texts.get(text, () => ++count);
};

it('computes the value of each text once', () => {
  const get = counted(100);
  expect([get('a'), get('b'), get('a'), get('b')]).toEqual([1, 2, 1, 2]);
});

it('drops the least recently used texts when the total is too long', () => {
  const get = counted(10);
  expect([get('aaaa'), get('bbbb'), get('aaaa'), get('cccc')]).toEqual([1, 2, 1, 3]);
  expect([get('aaaa'), get('cccc'), get('bbbb')]).toEqual([1, 3, 4]);
});

it('keeps no text that is too long by itself, and drops no other for it', () => {
  const get = counted(10);
  expect([get('a'), get('b'.repeat(11)), get('b'.repeat(11)), get('a')]).toEqual([1, 2, 3, 1]);
});

it('stores nothing if computing fails, and tries again', () => {
  const texts = new RecentTexts<number>(10);
  const fails = (): number => {
    throw new Error('no such table');
  };
  for (let n = 0; n < 20; n++) expect(() => texts.get('aaaa', fails)).toThrow('no such table');
  expect([texts.get('aaaa', () => 1), texts.get('bbbb', () => 2), texts.get('aaaa', fails)]).toEqual([1, 2, 1]);
});
