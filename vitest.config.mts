import { readdirSync, readFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { defineConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** Where the package is installed whose contracts are tested instead of those of the sources (test/package). */
const host = process.env['ROOKERY_INSTALLED_IN'];
const installed = [
  { find: /^rookery\/(.*)$/, replacement: `${host}/node_modules/rookery/dist/libs/$1/src/index.js` },
  { find: /^typeorm$/, replacement: `${host}/node_modules/typeorm/index.js` },
];
const conditions = host ? [] : ['rookery-source'];

const retry = process.env['CI'] === 'true' ? 1 : 0;

/** `npm test`: what needs nothing but Node. */
const nodeFolders = ['apps', 'examples', 'libs', 'test/contracts', 'test/e2e', 'test/sdk', 'test/storage'];
/** Those of its specs that have tests for PostgreSQL or Redis, too: each says `describePostgres` or the like. */
const mixed = nodeFolders.flatMap(specsIn).filter((spec) => /\bdescribe[A-Z]/.test(readFileSync(spec, 'utf8')));

function specsIn(folder: string): string[] {
  const names = readdirSync(folder, { recursive: true, encoding: 'utf8' });
  return names.filter((name) => name.endsWith('.spec.ts')).map((name) => join(folder, name));
}

/** The soak lasts ten minutes, most of them of waiting: it begins first, and has a worker more. */
const hasSoak = process.argv.includes('soak');

class SoakFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const isSoak = ({ moduleId }: TestSpecification): boolean => moduleId.endsWith('test/soak/memory.spec.ts');
    const sorted = await super.sort(files);
    return [...sorted.filter(isSoak), ...sorted.filter((file) => !isSoak(file))];
  }
}

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
    maxWorkers: availableParallelism() + (hasSoak ? 1 : 0),
    sequence: { sequencer: SoakFirst },
    // Whether the tests that need a program run: test/support/services.ts.
    provide: { services: true },
    projects: [
      {
        extends: true,
        test: {
          name: 'node',
          include: nodeFolders.map((folder) => `${folder}/**/*.spec.ts`),
          // A process takes one file after the other, and loads the modules that they share once.
          isolate: false,
          provide: { services: false },
        },
      },
      { extends: true, test: { name: 'databases', include: mixed, isolate: false } },
      {
        extends: true,
        test: {
          name: 'services',
          include: ['test/{browser,cluster,console,docs,examples,layers,ops,process}/**/*.spec.ts'],
        },
      },
      { extends: true, test: { name: 'soak', include: ['test/soak/**/*.spec.ts'] } },
      // After the others, whose time it would take: it installs, compiles and starts all the while.
      {
        extends: true,
        test: {
          name: 'package',
          include: ['test/package/**/*.spec.ts'],
          globalSetup: 'test/package/prepare.ts',
          sequence: { groupOrder: 1 },
        },
      },
    ],
  },
});
