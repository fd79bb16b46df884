import type { Fresh } from '@rookery/testing';
import { describe } from 'vitest';
import { besideNeighbours, oftenInMemory } from './neighbours.js';

for (const [port, { inMemory, describe: describePort }] of Object.entries(besideNeighbours))
  describe(`Memory${port}`, () => {
    (describePort as (fresh: Fresh<object>, positions: typeof oftenInMemory) => void)(inMemory, oftenInMemory);
  });
