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

/** Prints the tests that passed at their second try. Such a test fails the run, unless it is listed. */
export default class SecondTries implements Reporter {
  onTestRunEnd(modules: readonly TestModule[]): void {
    const names = modules
      .flatMap(({ children }) => [...children.allTests()])
      .filter((test) => test.diagnostic()?.flaky)
      .map(nameOf);
    process.stdout.write(`Second tries: ${names.length}\n`);
    for (const name of names) process.stdout.write(`  ${listed.has(name) ? 'listed' : 'NOT LISTED'}: ${name}\n`);
    if (names.some((name) => !listed.has(name))) process.exitCode = 1;
  }
}
