import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { QuietLog } from '#common';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

it('writes the first five lines at once, and then one for all others of ten seconds', () => {
  const lines: string[] = [];
  const log = new QuietLog((line) => lines.push(line));
  for (let n = 1; n <= 1000; n++) log.add(`line ${n}`);
  expect(lines.splice(0)).toEqual([1, 2, 3, 4, 5].map((n) => `line ${n}`));
  vi.advanceTimersByTime(10_000);
  expect(lines.splice(0)).toEqual(['line 1000 (and 994 more of this kind)']);
  for (let n = 1; n <= 6; n++) log.add(`later ${n}`);
  vi.advanceTimersByTime(10_000);
  expect(lines).toEqual([1, 2, 3, 4, 5, 6].map((n) => `later ${n}`));
});

it('writes what is held back at once when it ends, and nothing afterwards', () => {
  const lines: string[] = [];
  const log = new QuietLog((line) => lines.push(line));
  for (let n = 1; n <= 8; n++) log.add(`line ${n}`);
  lines.splice(0);
  for (let n = 0; n < 2; n++) log.end();
  expect(lines).toEqual(['line 8 (and 2 more of this kind)']);
  vi.advanceTimersByTime(10_000);
  expect(lines).toHaveLength(1);
});
