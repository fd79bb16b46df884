import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { RememberedAnswers } from './remembered-answers.js';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

it('remembers an answer for the given time, and not forever', () => {
  const answers = new RememberedAnswers<number>({ keepMs: 1000 });
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
  const answers = new RememberedAnswers<number>({ keepMs: 1000 });
  answers.set('a', 1);
  vi.advanceTimersByTime(5000);
  answers.set('b', 2);
  expect(answers.get('a')).toBeUndefined();
  answers.delete('b');
  expect(answers.get('b')).toBeUndefined();
});

it('forgets without a further call, and leaves no timer behind', () => {
  const forgotten: number[] = [];
  const answers = new RememberedAnswers<number>({ keepMs: 1000, forgotten: (each) => forgotten.push(...each) });
  answers.set('a', 1);
  vi.advanceTimersByTime(2000);
  expect([answers.get('a'), ...answers.entries()]).toEqual([undefined]);
  expect(forgotten).toEqual([1]);
  expect(vi.getTimerCount()).toBe(0);
});

it('forgets the oldest when keys or answers fill its bytes, and remembers the latest', () => {
  const keys = (begin: string) => Array.from({ length: 1000 }, (_, n) => `${begin}-${n}`.padEnd(200, 'x'));
  const kept = (answers: RememberedAnswers<string>) => Array.from(answers.entries(), ([key]) => key);
  const answers = new RememberedAnswers<string>({ maxBytes: 120_000, charactersOf: ({ length }) => length });
  const [short, long] = [keys('short'), keys('long')];
  for (const key of short) answers.set(key, '');
  expect(kept(answers).length).toBeLessThanOrEqual(200);
  expect(kept(answers)).toEqual(expect.arrayContaining(short.slice(-90)));
  for (const key of long) answers.set(key, 'x'.repeat(5700));
  expect(kept(answers).length).toBeLessThanOrEqual(10);
  expect(kept(answers)).toContain(long.at(-1));
});

it('has room again for each answer that is deleted or replaced', () => {
  const answers = new RememberedAnswers<number>({ maxBytes: 2000 });
  answers.set('kept', 1);
  for (let n = 0; n < 1000; n += 1) {
    answers.set('replaced', n);
    answers.set(`deleted ${n}`, n);
    answers.delete(`deleted ${n}`);
  }
  expect([answers.get('kept'), answers.get('replaced')]).toEqual([1, 999]);
});
