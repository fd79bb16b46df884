import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { RememberedAnswers } from './remembered-answers.js';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

it('remembers an answer for the given time, and not forever', () => {
  const answers = new RememberedAnswers<number>(1000);
  answers.set('a', 1);
  vi.advanceTimersByTime(999);
  answers.set('b', 2);
  expect([answers.get('a'), answers.get('b')]).toEqual([1, 2]);
  vi.advanceTimersByTime(998);
  answers.set('c', 3);
  expect(answers.get('b')).toBe(2);
  vi.advanceTimersByTime(1002);
  answers.set('d', 4);
  expect([answers.get('a'), answers.get('b'), answers.get('c')]).toEqual([undefined, undefined, 3]);
});

it('drops old answers after an idle time, and those it is told to', () => {
  const answers = new RememberedAnswers<number>(1000);
  answers.set('a', 1);
  vi.advanceTimersByTime(5000);
  answers.set('b', 2);
  expect(answers.get('a')).toBeUndefined();
  answers.delete('b');
  expect(answers.get('b')).toBeUndefined();
});
