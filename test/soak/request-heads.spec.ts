import { it } from 'vitest';
import { expectAnswersOfNode } from '../http/request-heads.js';

it('reads 100,000 heads so that the answers are byte by byte those of Node', { timeout: 120_000 }, () =>
  expectAnswersOfNode(100_000),
);
