// The types of the matchers for Jest: `import 'rookery/testing/jest'` beside `expect.extend(rookeryMatchers)`.
import type { RookeryMatchers } from './matchers.types.js';

declare global {
  namespace jest {
    interface Matchers<R, T> extends RookeryMatchers {}
  }
}
