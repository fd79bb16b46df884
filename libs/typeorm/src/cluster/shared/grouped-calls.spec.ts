import { expect, it } from 'vitest';
import { GroupedCalls } from './grouped-calls.js';
import type { SharedDatabase } from './shared-database.js';

interface Row {
  readonly name: string;
}

/** Answers each call with its name, and notes the calls of each statement. Refuses `dead`, and fails for `broken`. */
class Answering {
  readonly statements: (readonly unknown[])[] = [];
  readonly shared = {
    insistOnAll: (work: () => Promise<unknown>) => work(),
    run: async (_: string, [lanes, names]: readonly [readonly number[], readonly string[]]) => {
      this.statements.push(names.map((name, n) => `${lanes[n]} ${name}`));
      await undefined;
      if (names.includes('broken')) throw new Error('the statement failed');
      return names.map((name) => ({ name, is_gone: name === 'dead' }));
    },
    refused: () => new Error('taken for dead'),
  } as unknown as SharedDatabase;
}

const called = (...calls: readonly (readonly [lane: number, name: string])[]) => {
  const { shared, statements } = new Answering();
  const group = new GroupedCalls<Row>(shared, 'rookery_do(int, text)');
  return { statements, answers: Promise.allSettled(calls.map((call) => group.insist(call))) };
};

const outcomes = (results: readonly PromiseSettledResult<Row>[]): readonly string[] =>
  results.map((result) => (result.status === 'fulfilled' ? result.value.name : String(result.reason)));

it('makes the calls of a moment in one statement, in the order of their lanes', async () => {
  const { statements, answers } = called([3, 'a'], [1, 'b'], [3, 'c'], [2, 'd']);
  expect(outcomes(await answers)).toEqual(['a', 'b', 'c', 'd']);
  expect(statements).toEqual([['1 b', '2 d', '3 a', '3 c']]);
});

it('bounds a statement', async () => {
  const calls = Array.from({ length: 150 }, (_, n) => [n, 'a'] as const);
  const { statements, answers } = called(...calls);
  await answers;
  expect(statements.map(({ length }) => length)).toEqual([100, 50]);
});

it('fails a call alone, and refuses one alone', async () => {
  const { statements, answers } = called([1, 'a'], [2, 'broken'], [3, 'dead'], [4, 'b']);
  expect(outcomes(await answers)).toEqual(['a', 'Error: the statement failed', 'Error: taken for dead', 'b']);
  expect(statements).toHaveLength(5);
});
