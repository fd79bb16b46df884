import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { ReadingProof } from './reading-proof.js';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const waitsFor = ({ waitsSince }: ReadingProof): number => performance.now() - waitsSince;

it('waits for the echo of a question', () => {
  const proof = new ReadingProof();
  const number = proof.next();
  vi.advanceTimersByTime(1000);
  expect(waitsFor(proof)).toBe(1000);
  expect([proof.echoed(number + 1), proof.echoed(number), waitsFor(proof)]).toEqual([false, true, -Infinity]);
  expect(proof.echoed(number)).toBe(false);
});

it('takes each echo as progress, and the latest as an answer to all', () => {
  const proof = new ReadingProof();
  const numbers = Array.from({ length: 4 }, () => proof.next());
  vi.advanceTimersByTime(1000);
  expect([proof.echoed(numbers[1]!), waitsFor(proof)]).toEqual([true, 0]);
  vi.advanceTimersByTime(500);
  expect([proof.echoed(numbers[0]!), waitsFor(proof)]).toEqual([false, 500]);
  expect([proof.echoed(numbers[3]!), waitsFor(proof)]).toEqual([true, -Infinity]);
});

it('waits anew with the first question after the last answer', () => {
  const proof = new ReadingProof();
  proof.echoed(proof.next());
  vi.advanceTimersByTime(5000);
  proof.next();
  expect(waitsFor(proof)).toBe(0);
});
