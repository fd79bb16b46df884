import { expect, it } from 'vitest';
import { SharedReads } from './shared-reads.js';

/** Reads whose answers the test gives; each answers its number. */
function answeredByHand() {
  const reads = new SharedReads<number>();
  const answers: { readonly resolve: (value: number) => void; readonly reject: (error: Error) => void }[] = [];
  const ask = (key = 'room') =>
    reads.of(key, () => new Promise((resolve, reject) => void answers.push({ resolve, reject })));
  return { ask, answers };
}

it('answers everyone from a read that began after they asked', async () => {
  const { ask, answers } = answeredByHand();
  const first = ask();
  const later = [ask(), ask(), ask()];
  expect(answers).toHaveLength(1);
  answers[0]!.resolve(1);
  expect(await first).toBe(1);
  expect(answers).toHaveLength(2);
  const latest = ask();
  answers[1]!.resolve(2);
  expect(await Promise.all(later)).toEqual([2, 2, 2]);
  expect(answers).toHaveLength(3);
  answers[2]!.resolve(3);
  expect(await latest).toBe(3);
});

it('does not let one read wait for that of another key', () => {
  const { ask, answers } = answeredByHand();
  void ask('one');
  void ask('other');
  expect(answers).toHaveLength(2);
});

it('reads again after a failure, which only the callers that shared that read see', async () => {
  const { ask, answers } = answeredByHand();
  const first = ask();
  const next = ask();
  answers[0]!.reject(new Error('away'));
  await expect(first).rejects.toThrow('away');
  answers[1]!.resolve(2);
  expect(await next).toBe(2);
  void ask();
  expect(answers).toHaveLength(3);
});

it('stays synchronous where the read is', () => {
  expect(new SharedReads<number>().of('room', () => 7)).toBe(7);
});
