import { it } from 'vitest';
import { expectAnswersOfNode } from './request-heads.js';

// test/soak/request-heads.spec.ts reads more of them.
it('reads 5000 heads so that the answers are byte by byte those of Node', { timeout: 120_000 }, () =>
  expectAnswersOfNode(5000),
);
