import type { DescribeContract, Fresh } from '@rookery/testing';

/**
 * The promises that an implementation breaks: the proof that the contract notices.
 *
 * @param only the one promise to look at, where the others take their time
 */
export async function brokenPromises<Port>(
  describeContract: DescribeContract<Port>,
  fresh: Fresh<Port>,
  only?: string,
): Promise<readonly string[]> {
  const broken: string[] = [];
  for (const [promise, test] of promisesOf(describeContract, fresh))
    if (only === undefined || promise === only) await test().catch(() => void broken.push(promise));
  return broken;
}

/** The test of each promise, on implementations that `fresh` makes. */
export function promisesOf<Port>(describeContract: DescribeContract<Port>, fresh: Fresh<Port>) {
  const tests = new Map<string, () => Promise<void>>();
  describeContract(fresh, { describe: (_, body) => body(), it: (promise, test) => tests.set(promise, test) });
  return tests;
}
