import { readdirSync, readFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { configDefaults, defineConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** The installed package whose contracts are tested instead of the sources' (test/package). */
const host = process.env['ROOKERY_INSTALLED_IN'];
const installed = [
  { find: /^@rookery\/(console|testing)$/, replacement: `${host}/node_modules/@rookery/$1/dist/modules/$1.js` },
  { find: /^(?:#|rookery\/internal\/)(.*)$/, replacement: `${host}/node_modules/rookery/dist/modules/$1.js` },
  { find: /^rookery\/(.*)$/, replacement: `${host}/node_modules/rookery/dist/modules/$1.js` },
  { find: /^typeorm$/, replacement: `${host}/node_modules/typeorm/index.js` },
];
const conditions = host ? [] : ['rookery-source'];

const retry = process.env['CI'] === 'true' ? 1 : 0;

/** The specs in `folder` whose text matches. */
const specs = (folder: string, text: RegExp): string[] =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.spec.ts'))
    .map((name) => join(folder, name))
    .filter((path) => text.test(readFileSync(path, 'utf8')));

/** The tests that measure what their process holds, or count all of its objects or timers. */
const measuring = specs('libs', /\b(usedBytes|getTimerCount|queryObjects)\b/);
/** The tests that leave calls without an answer, and what waits for them. */
const leaving = specs('test/disturbed', /./);
/** `npm test`: the tests that need nothing but Node. Of seeds, a part; `npm run test:all` has all. */
const node = ['{apps,examples,libs}/**/*.spec.ts', 'test/!(package|soak)/**/!(*.browser|*.cluster).spec.ts'];
const notAlone = [...configDefaults.exclude, ...measuring, ...leaving];
const provide = { services: false, node: true, seeds: 5 };
/** The tests of which `npm test` has a part. */
const seeded = specs('test', /\binject\('seeds'\)/);
/** The test that compares how long users wait. */
const weather = 'test/soak/rude-clients.spec.ts';
/** The tests that install packages. */
const packages = ['test/package/**/*.spec.ts'];
/** `npm run test:all`: the specs with at least one test that needs more than Node. */
const needs = /\bdescribe(Chromium|Databases|Installed|Postgres|PowerCut|Prometheus|Redis|SmallDisk|Systemd)\b/;
// Those of the package are a project of their own.
const services = specs('test', needs).filter((path) => !path.startsWith(join('test', 'package')));

/** Most of a test's time is waiting: the cores are for all of them. Within a test of the package there are others beside it. */
const maxWorkers = (host ? 1 : 3) * availableParallelism();
/** Those of services: many start processes, browsers and databases. Projects that run together have the same number. */
const afterNode = { maxWorkers: 2 * availableParallelism(), sequence: { groupOrder: 1 } };

/**
 * Tests make much that is soon garbage: with more room for it, a tenth of their CPU time is saved. Most of their code runs
 * too seldom for optimizing to pay: V8 of Node 20 does so early, and later ones have no such setting.
 */
const execArgv = [
  '--max-semi-space-size=64',
  ...(process.versions.node.startsWith('20.') ? ['--interrupt-budget=1000000'] : []),
];

/**
 * A file that takes long and begins last keeps one core busy and the other idle, so the long ones begin first: those that
 * start processes and browsers, install packages, or compile or simulate the whole house. Vitest itself orders by size
 * where it has no times of an earlier run, as in CI. A worker starts anew where the next file is of another project, so
 * those of a project stand together.
 */
const order = [
  // It measures for minutes.
  /\/test\/soak\/memory/,
  /\/test\/package\//,
  /\/test\/soak\//,
  /\/test\/(docs|host|layers|simulation)\/|\/conformance\/|\.(process|cluster|browser)\.spec/,
  /./,
];

class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    // Those of `memory` each need a new worker: in between, all others would start anew, too.
    const place = ({ moduleId, project }: TestSpecification): number =>
      project.name === 'memory' ? -1 : order.findIndex((files) => files.test(moduleId));
    return (await super.sort(files)).sort((a, b) => place(a) - place(b));
  }
}

export default defineConfig({
  // Nest reads the types of constructor parameters, so decorators must keep their metadata.
  oxc: { decorator: { legacy: true, emitDecoratorMetadata: true } },
  // The libs import each other as `rookery/<lib>`; this condition points that at the sources.
  resolve: { conditions, alias: host ? installed : [] },
  ssr: { resolve: { conditions } },
  test: {
    // The contracts of @rookery/testing take describe and it from there; specs import theirs.
    globals: true,
    setupFiles: ['test/support/setup.ts'],
    // A slow machine with two cores needs several times as long as others for tests that start processes.
    testTimeout: 120_000,
    hookTimeout: 180_000,
    // `until` waits as long.
    expect: { poll: { timeout: 30_000, interval: 10 } },
    // A second try tells a race from a fault. It does not pass the run: second-tries.ts fails it for tests not listed.
    retry,
    reporters: ['default', 'test/support/second-tries.ts'],
    // A process runs one file after the other, and loads shared modules once.
    isolate: false,
    maxWorkers,
    sequence: { sequencer: LongestFirst },
    // Which tests run of files that have both kinds: test/support/services.ts.
    provide: { services: true, node: Boolean(host), seeds: 20 },
    projects: [
      { extends: true, test: { name: 'node', include: node, exclude: notAlone, execArgv, provide } },
      // In processes of their own: garbage and timers that other files left would count, or they leave some.
      { extends: true, test: { name: 'memory', include: [...measuring, ...leaving], isolate: true, provide } },
      {
        extends: true,
        test: {
          ...afterNode,
          name: 'services',
          include: services,
          globalSetup: 'test/support/shared-postgres.ts',
        },
      },
      // In processes of their own: what some of them count, others would have left.
      {
        extends: true,
        test: {
          ...afterNode,
          name: 'soak',
          include: ['test/soak/**/*.spec.ts', ...seeded],
          exclude: [...configDefaults.exclude, weather],
          isolate: true,
        },
      },
      // After all others: what it measures, they would delay.
      { extends: true, test: { name: 'weather', include: [weather], isolate: true, sequence: { groupOrder: 2 } } },
      {
        extends: true,
        test: {
          ...afterNode,
          name: 'package',
          include: packages,
          globalSetup: 'test/package/prepare.ts',
          // Four files install and compile at a time: what takes 10 s alone took over a minute.
          testTimeout: 240_000,
        },
      },
    ],
  },
});
