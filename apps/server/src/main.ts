import { serve } from './serve.js';

serve().catch((error: unknown) => {
  process.stderr.write(`rookery: ${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 1;
});
