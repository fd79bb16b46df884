import { availableParallelism } from 'node:os';
import { defineConfig } from 'vitest/config';

/** Where the package is installed whose contracts are tested instead of those of the sources (test/package). */
const host = process.env['ROOKERY_INSTALLED_IN'];
const installed = [
  { find: /^rookery\/(.*)$/, replacement: `${host}/node_modules/rookery/dist/libs/$1/src/index.js` },
  { find: /^typeorm$/, replacement: `${host}/node_modules/typeorm/index.js` },
];
const conditions = host ? [] : ['rookery-source'];

const retry = process.env['CI'] === 'true' ? 1 : 0;
const tests = ['{apps,examples,libs,test}/**/*.spec.ts'];
/** Those that start no processes, and change nothing of their own. */
const testsOfOneProcess = ['{apps,libs}/**/*.spec.ts', 'test/{contracts,e2e,sdk,storage}/**/*.spec.ts'];
const packageTests = ['test/package/**/*.spec.ts'];

export default defineConfig({
  // Nest reads the types of constructor parameters, so decorators must keep their metadata.
  oxc: { decorator: { legacy: true, emitDecoratorMetadata: true } },
  // The libs import each other as `rookery/<lib>`; this condition points that at the sources.
  resolve: { conditions, alias: host ? installed : [] },
  ssr: { resolve: { conditions } },
  test: {
    // The contracts of rookery/testing take describe and it from there; specs import theirs.
    globals: true,
    setupFiles: ['test/support/setup.ts'],
    testTimeout: 20_000,
    hookTimeout: 60_000,
    // A crowded machine may starve a test of its time once, and the report says so; what fails twice has failed.
    retry,
    // Most of a test's time is waiting: the cores are for all of them.
    maxWorkers: availableParallelism(),
    projects: [
      // A process takes one file after the other: most of their time went by with loading the same modules again.
      { extends: true, test: { name: 'one process', include: testsOfOneProcess, isolate: false } },
      { extends: true, test: { name: 'rookery', include: tests, exclude: [...testsOfOneProcess, ...packageTests] } },
      // After the others, whose time it would take: it installs, compiles and starts all the while.
      {
        extends: true,
        test: {
          name: 'package',
          include: packageTests,
          globalSetup: 'test/package/prepare.ts',
          sequence: { groupOrder: 1 },
        },
      },
    ],
  },
});
