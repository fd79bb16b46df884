import { expect, it } from 'vitest';
import { believedAnswers, CircuitBreaker } from './circuit-breaker.js';

const times = (count: number, work: () => void) => Array.from({ length: count }).forEach(work);

it('opens after several faults in a row, with the latest fault', () => {
  const streak = new CircuitBreaker();
  times(believedAnswers - 1, () => streak.refused('HTTP 404'));
  expect(streak.fault).toBeUndefined();
  streak.refused('PERMISSION_DENIED');
  expect(streak.fault).toBe('PERMISSION_DENIED');
});

it('resets with any other answer', () => {
  const streak = new CircuitBreaker();
  times(100, () => {
    times(believedAnswers - 1, () => streak.refused('HTTP 404'));
    streak.judged();
  });
  expect(streak.fault).toBeUndefined();
  times(believedAnswers, () => streak.refused('HTTP 404'));
  streak.judged();
  expect(streak.fault).toBeUndefined();
});
