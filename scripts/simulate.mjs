// Runs whole clusters in one process from a seed (test/simulation): `npm run simulate -- --seed 7 --minutes 10`.
import { runProgram } from './from-sources.mjs';

await runProgram('test/simulation/main.ts', 'dist/simulation/simulate.mjs');
