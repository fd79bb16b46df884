import { createRequire } from 'node:module';

/**
 * Node reads a thousand modules in a sixth less time through `require`, which takes one after the other, than through
 * `import`, which promises each of them.
 */
const { serve } = process.features.require_module
  ? (createRequire(import.meta.url)('./serve.js') as typeof import('./serve.js'))
  : await import('./serve.js');

serve().catch((error: unknown) => {
  process.stderr.write(`rookery: ${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 1;
});
