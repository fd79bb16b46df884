// Lets node run the TypeScript of bench/ and test/: `node --import ./bench/support/typescript.mjs bench/x.ts`.
// What is measured, the libs, comes from dist/ as users get it.
import { register } from 'node:module';

register('./typescript-hooks.mjs', import.meta.url);
