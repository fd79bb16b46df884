import type { Awaitable } from 'rookery/internal/common';
import { type Runner, runnerOf } from './runner.js';

/** A promise of a port, tested on a fresh implementation. */
export interface Promised<Port> {
  /** The promise, as a sentence. */
  readonly promise: string;
  readonly test: (port: Port) => Promise<void>;
}

/** Creates a fresh, empty implementation; `atEnd` registers a function that releases its resources. */
export type Fresh<Port> = (atEnd: (close: () => Awaitable<void>) => void) => Awaitable<Port>;

/** Describes a port's contract: one test for each promise, each with its own implementation. */
export type DescribeContract<Port> = (fresh: Fresh<Port>, runner?: Runner) => void;

/** Longer than a promise takes on a slow machine. Jest's default is 5 seconds. */
const timeoutMs = 60_000;

/** Makes the function that tests call. */
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
