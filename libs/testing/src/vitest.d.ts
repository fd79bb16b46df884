// The types of the matchers for Vitest: `import 'rookery/testing/vitest'` beside `expect.extend(rookeryMatchers)`.
// A declaration by hand: the build resolves no test runner.
import type { RookeryMatchers } from 'rookery/testing';

declare module 'vitest' {
  interface Assertion<T> extends RookeryMatchers {}
}
