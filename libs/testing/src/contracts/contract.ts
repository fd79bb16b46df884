import type { Awaitable } from 'rookery/common';
import { type Runner, runnerOf } from './runner.js';

/** A promise of a port, put to the test on a fresh implementation. */
export interface Promised<Port> {
  /** What is promised, as a sentence. */
  readonly promise: string;
  readonly test: (port: Port) => Promise<void>;
}

/** Makes a fresh, empty implementation; `atEnd` takes what gives back what it holds. */
export type Fresh<Port> = (atEnd: (close: () => Awaitable<void>) => void) => Awaitable<Port>;

/** Describes a port's contract: one test for each promise, each with an implementation of its own. */
export type DescribeContract<Port> = (fresh: Fresh<Port>, runner?: Runner) => void;

/** Longer than a promise takes on a slow machine. Jest's own limit is 5 seconds. */
const timeoutMs = 60_000;

/** A contract as what tests call. */
export const contract =
  <Port>(port: string, promises: readonly Promised<Port>[]): DescribeContract<Port> =>
  (fresh, runner = runnerOf(globalThis as Partial<Runner>)) => {
    runner.describe(`keeps the contract of ${port}:`, () => {
      for (const { promise, test } of promises) runner.it(promise, () => keeps(test, fresh), timeoutMs);
    });
  };

async function keeps<Port>(test: (port: Port) => Promise<void>, fresh: Fresh<Port>): Promise<void> {
  const closings: (() => Awaitable<void>)[] = [];
  try {
    await test(await fresh((close) => void closings.push(close)));
  } finally {
    for (const close of closings.toReversed()) await close();
  }
}
