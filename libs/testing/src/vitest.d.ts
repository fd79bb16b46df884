// The types of the matchers for Vitest: `import '@rookery/testing/vitest'` beside `expect.extend(rookeryMatchers)`.
// Declared by hand: the build does not resolve a test runner.
import 'vitest';
import type { RookeryMatchers } from '@rookery/testing';

declare module 'vitest' {
  interface Assertion<T> extends RookeryMatchers {}
}
