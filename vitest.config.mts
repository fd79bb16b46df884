import { defineConfig } from 'vitest/config';

export default defineConfig({
  // Nest reads the types of constructor parameters, so decorators must keep their metadata.
  oxc: { decorator: { legacy: true, emitDecoratorMetadata: true } },
  // The libs import each other as `rookery/<lib>`; this condition points that at the sources.
  resolve: { conditions: ['rookery-source'] },
  ssr: { resolve: { conditions: ['rookery-source'] } },
  test: {
    include: ['{apps,libs,test}/**/*.spec.ts'],
    setupFiles: ['test/support/setup.ts'],
    testTimeout: 20_000,
    hookTimeout: 60_000,
    // A crowded machine may starve a test of its time once, and the report says so; what fails twice has failed.
    retry: process.env['CI'] === 'true' ? 1 : 0,
  },
});
