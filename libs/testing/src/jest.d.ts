// The types of the matchers for Jest: `import '@rookery/testing/jest'` beside `expect.extend(rookeryMatchers)`.
// Declared by hand: the build does not resolve a test runner.
import 'expect';
import type { RookeryMatchers } from '@rookery/testing';

declare global {
  namespace jest {
    interface Matchers<R, T> extends RookeryMatchers {}
  }
}

/** What `expect` of @jest/globals is made of. */
declare module 'expect' {
  interface Matchers<R extends void | Promise<void>, T = unknown> extends RookeryMatchers {}
}
