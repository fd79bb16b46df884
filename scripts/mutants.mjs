// Plants small faults, one at a time, in the lines that a commit has changed, and prints those that no spec notices:
// `npm run mutants -- --lib channels`, or `--all` for all lines of that folder below libs/. Stryker plants them in a
// copy of this folder; it is installed for the run, since nothing else needs it, so this needs the network. With
// `--kinds`, faults are planted that Stryker does not know: in awaits, orders, keys, and texts of SQL and Lua.
import { spawnSync } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { root } from './from-sources.mjs';
import { linkModules } from './linked-modules.mjs';
import { faultsIn, kinds } from './planted-faults.mjs';

// The latest for Node 20.
const stryker = '9.6.1';

const text = { type: 'string' };
const { values } = parseArgs({
  options: {
    /** A folder or file below libs/: `channels`, or `channels/src/protocol/user-id.ts`; or of apps/: `apps/cli`. */
    lib: text,
    /** Instead of Stryker's faults these, by commas: `await,order,key,sql,lua`. */
    kinds: text,
    /** How many of them, chosen by the seed. */
    count: { ...text, default: '50' },
    seed: { ...text, default: '1' },
    /** Specs that need PostgreSQL and Redis run, too. */
    services: { type: 'boolean', default: false },
    /** Whose changes since are looked at. */
    since: { ...text, default: 'HEAD~1' },
    all: { type: 'boolean', default: false },
    /** Folders of test/ whose stories may notice them as well, by commas: `trigger,webhooks`. */
    with: text,
    /** Only these specs, which takes a fraction of the time: `libs/channels/src/{frames,hub}/*.spec.ts`. */
    specs: text,
    /** The share of faults that specs must notice, in percent. */
    score: { ...text, default: '85' },
    /** How many faults are tried at once. Most of a story's time is waiting. */
    concurrency: { ...text, default: String(2 * availableParallelism()) },
    /** How much longer than without a fault the specs may take, in seconds. A busy machine needs more. */
    patience: { ...text, default: '10' },
  },
});
const lib = String(values.lib ?? '');
const folder = lib.startsWith('apps/') ? lib : join('libs', lib);
const wanted = values.kinds?.split(',');
const strange = wanted?.find((kind) => !(kind in kinds));
if (strange !== undefined) throw new Error(`--kinds knows ${Object.keys(kinds).join(', ')}, not '${strange}'`);
const since = String(values.since);

// Specs beside the code, contracts of ports, and the stories that are named: all of them would take minutes for each
// fault that none notices.
const stories = ['contracts', 'layers', ...String(values.with ?? '').split(',')].filter(Boolean);
const specs =
  values.specs === undefined
    ? ['{apps,libs}/**/*.spec.ts', `test/{${stories.join(',')}}/**/!(*.browser|*.cluster|*.process).spec.ts`]
    : [values.specs];

const run = (command, args, options) =>
  spawnSync(command, args, { cwd: root, encoding: 'utf8', maxBuffer: 1 << 28, ...options });
const linesOf = (args) => run('git', args).stdout.split('\n').filter(Boolean);

/** @returns `path:from-to` for each changed run of lines */
function changedLines() {
  let path = '';
  return linesOf(['diff', '--unified=0', '--no-prefix', '--diff-filter=d', since, '--', folder]).flatMap((line) => {
    if (line.startsWith('+++ ')) path = line.slice(4);
    const [, from, count = '1'] = /^@@ -\S+ \+(\d+)(?:,(\d+))? @@/.exec(line) ?? [];
    return from === undefined || count === '0' ? [] : [`${path}:${from}-${Number(from) + Number(count) - 1}`];
  });
}

/** Of pages and commands, too. */
const isSource = (path) => /\.(ts|mts|tsx)(:|$)/.test(path) && !/\.spec\.ts|\.d\.mts|\/testing\//.test(path);
const mutate = (values.all ? linesOf(['ls-files', folder]) : changedLines()).filter(isSource);
if (mutate.length === 0) {
  console.log(`Nothing in ${folder} has changed since ${since}`);
  process.exit(0);
}

const copy = mkdtempSync(join(tmpdir(), 'rookery-mutants-'));
process.on('exit', () => rmSync(copy, { recursive: true, force: true }));
for (const file of linesOf(['ls-files', '-co', '--exclude-standard'])) cpSync(join(root, file), join(copy, file));
linkModules(root, copy);
symlinkSync(join(root, 'dist'), join(copy, 'dist'));

writeFileSync(
  join(copy, 'vitest.mutants.config.mts'),
  `import config from './vitest.config.mts';
const { projects: _, ...test } = config.test!;
const include = ${JSON.stringify(specs)};
export default { ...config, test: { ...test, include, retry: 0, provide: { services: ${String(values.services)}, node: true, seeds: 1 } } };
`,
);
if (wanted) process.exit(plantOurs() >= Number(values.score) ? 0 : 1);

// Its vitest must be ours, and not a second one.
const tool = join(copy, 'stryker');
const packages = ['core', 'vitest-runner'].map((name) => `@stryker-mutator/${name}@${stryker}`);
const install = ['install', '--prefix', tool, '--no-audit', '--no-fund', '--legacy-peer-deps', ...packages];
const { status, stderr } = run('npm', install, { cwd: copy });
if (status !== 0) throw new Error(`Stryker cannot be installed:\n${stderr}`);
const modules = join(tool, 'node_modules');
symlinkSync(join(root, 'node_modules/vitest'), join(modules, 'vitest'));

writeFileSync(
  join(copy, 'stryker.config.json'),
  JSON.stringify({
    mutate: [...mutate, '!**/*.spec.ts'],
    inPlace: true,
    testRunner: 'vitest',
    plugins: [join(modules, '@stryker-mutator/vitest-runner/dist/src/index.js')],
    vitest: { configFile: 'vitest.mutants.config.mts' },
    concurrency: Number(values.concurrency),
    coverageAnalysis: 'perTest',
    // What runs once, as the modules are loaded, cannot be told by the test that covers it. Texts are for people.
    ignoreStatic: true,
    mutator: { excludedMutations: ['StringLiteral'] },
    timeoutMS: 1000 * Number(values.patience),
    reporters: ['progress-append-only', 'clear-text', 'json'],
    jsonReporter: { fileName: 'mutants.json' },
    clearTextReporter: { allowColor: false, logTests: false },
    thresholds: { high: 100, low: Number(values.score), break: Number(values.score) },
  }),
);
const program = join(modules, '@stryker-mutator/core/bin/stryker.js');
process.exit(run(process.execPath, [program, 'run'], { cwd: copy, stdio: 'inherit' }).status ?? 1);

/** @returns the share of faults that were noticed, in percent */
function plantOurs() {
  const minutes = 60_000;
  const runs = [
    process.execPath,
    [join(copy, 'node_modules/vitest/vitest.mjs'), 'run', '--config', 'vitest.mutants.config.mts', '--bail', '1'],
    { cwd: copy, timeout: 10 * minutes },
  ];
  const faults = mutate.flatMap((each) => {
    const [path, lines = '1-Infinity'] = each.split(':');
    const [from, to] = lines.split('-').map(Number);
    const isWithin = ({ line }) => line >= from && line <= to;
    return faultsIn(path, readFileSync(join(root, path), 'utf8'), wanted)
      .filter(isWithin)
      .map((fault) => ({ path, ...fault }));
  });
  const chosen = shuffled(faults, Number(values.seed)).slice(0, Number(values.count));
  if (run(...runs).status !== 0) throw new Error('The specs fail without a fault');
  let noticed = 0;
  for (const { path, kind, line, from, to, text: instead } of chosen) {
    const file = join(copy, path);
    const before = readFileSync(file, 'utf8');
    writeFileSync(file, before.slice(0, from) + instead + before.slice(to));
    const isNoticed = run(...runs).status !== 0;
    writeFileSync(file, before);
    if (isNoticed) noticed++;
    else console.log(`Not noticed: ${path}:${line} (${kind})\n- ${before.slice(from, to)}\n+ ${instead}`);
  }
  const score = Math.round((100 * noticed) / Math.max(1, chosen.length));
  console.log(`${noticed} of ${chosen.length} faults noticed, ${score}% (${faults.length} are known)`);
  return score;
}

/** The same order for the same seed. */
function shuffled(all, seed) {
  let state = seed;
  const next = () => (state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0);
  return all
    .map((each) => [next(), each])
    .sort(([one], [other]) => one - other)
    .map(([, each]) => each);
}
