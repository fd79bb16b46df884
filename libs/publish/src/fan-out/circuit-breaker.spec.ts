import { expect, it } from 'vitest';
import { believedAnswers, CircuitBreaker } from './circuit-breaker.js';

const times = (count: number, work: () => void) => Array.from({ length: count }).forEach(work);

it('opens after several faults in a row, with the latest fault', () => {
  const breaker = new CircuitBreaker();
  times(believedAnswers - 1, () => breaker.refused('HTTP 404'));
  expect(breaker.fault).toBeUndefined();
  breaker.refused('PERMISSION_DENIED');
  expect(breaker.fault).toBe('PERMISSION_DENIED');
});

it('resets with any other answer', () => {
  const breaker = new CircuitBreaker();
  times(100, () => {
    times(believedAnswers - 1, () => breaker.refused('HTTP 404'));
    expect(breaker.fault).toBeUndefined();
    breaker.judged();
  });
  times(believedAnswers, () => breaker.refused('HTTP 404'));
  breaker.judged();
  expect(breaker.fault).toBeUndefined();
});
