// The types of the matchers for Vitest: `import 'rookery/testing/vitest'` beside `expect.extend(rookeryMatchers)`.
import type { RookeryMatchers } from './matchers.types.js';

declare module 'vitest' {
  interface Assertion<T> extends RookeryMatchers {}
}
