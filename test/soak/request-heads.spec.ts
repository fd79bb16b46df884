import { it } from 'vitest';
import { expectAnswersOfNode } from '../trigger/request-heads.js';

it('reads 25,000 heads so that the answers are byte by byte those of Node', { timeout: 120_000 }, () =>
  expectAnswersOfNode(25_000),
);
