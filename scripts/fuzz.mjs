// Runs hostile inputs against the readers of bytes from outside (test/fuzz): `npm run fuzz -- --target frames`.
import { runProgram } from './from-sources.mjs';

await runProgram('test/fuzz/main.ts', 'dist/fuzz/fuzz.mjs');
