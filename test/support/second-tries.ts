import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Reporter, TestCase, TestModule } from 'vitest/node';

/** Tests that may need a second try in CI, each with its reason above it: `path > full name`. */
const listed = new Set(
  readFileSync(join(import.meta.dirname, 'second-tries.txt'), 'utf8')
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('#')),
);

const nameOf = ({ module, fullName }: TestCase): string => `${module.relativeModuleId} > ${fullName}`;

/** Prints the tests that passed at their second try, and why the first failed. Such a test fails the run, unless listed. */
export default class SecondTries implements Reporter {
  onTestRunEnd(modules: readonly TestModule[]): void {
    const tests = modules
      .flatMap(({ children }) => [...children.allTests()])
      .filter((test) => test.diagnostic()?.flaky);
    process.stdout.write(`Second tries: ${tests.length}\n`);
    for (const test of tests) {
      const errors = (test.result().errors ?? []).map(({ message, stack }) => `    ${stack ?? message}\n`);
      process.stdout.write(
        `  ${listed.has(nameOf(test)) ? 'listed' : 'NOT LISTED'}: ${nameOf(test)}\n${errors.join('')}`,
      );
    }
    if (tests.some((test) => !listed.has(nameOf(test)))) process.exitCode = 1;
  }
}
