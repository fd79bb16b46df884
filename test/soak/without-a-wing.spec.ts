import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { join, relative, resolve } from 'node:path';
import ts from 'typescript';
import { describe, expect, it } from 'vitest';

// Nothing but a wing's folder and its lines in a few lists knows it: here the house is compiled without them, which takes
// long. test/layers/wings.spec.ts has the rest.

const root = resolve(import.meta.dirname, '../..');

/** Where a wing is listed: by the names that hosts import, with its value, and with its settings or texts. */
const listsOf = {
  channels: ['index.ts', 'wings/wings.ts', 'channels.options.ts', 'app/app.ts'],
  publish: ['index.ts', 'wings/wings.ts', 'wings/advice.ts'],
};
const sourceOf = (lib: string): string => join(root, 'libs', lib, 'src');
const lists = Object.entries(listsOf).flatMap(([lib, files]) => files.map((file) => join(sourceOf(lib), file)));

/** The folder of a wing. */
const homeOf = (name: string): string =>
  Object.keys(listsOf)
    .map((lib) => join(sourceOf(lib), 'wings', name))
    .find((folder) => existsSync(folder))!;

/** A list without the lines of a wing: what it imports of its folder, its value, and the settings of that type. */
function withoutLines(text: string, name: string): string {
  const statement = new RegExp(`^(?:import|export) ([^;]*) from '[./]*/(?:wings/)?${name}/[^']*';\\n`, 'gm');
  const types = [...text.matchAll(statement)].flatMap(([, names]) => names?.match(/\w+/g) ?? []).join('|');
  const setting = new RegExp(
    `  /\\*\\*.*\\*/\\n(  @OrNull\\(\\)\\n)?  @Nested\\(\\(\\) => (${types})(?:, \\{ each: true \\})?\\)\\n.*;\\n`,
    'g',
  );
  const rest = text.replace(statement, '');
  if (!types) return rest;
  // A list of one stands in one line.
  const values = new RegExp(`^  (?:${types}),\\n|(?<=\\[)(?:${types})(?=\\])`, 'gm');
  return rest.replace(setting, '').replace(values, '');
}

/** The libs, the apps, and the support of the tests; not the stories, which are those of wings too. */
const house = ['libs', 'apps/cli', 'apps/conformance', 'apps/server', 'test/support'].flatMap((folder) =>
  readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
    .filter((file) => /\.m?ts$/.test(file) && !/\.spec\.ts$|(^|\/)(node_modules|dist)\//.test(file))
    .map((file) => join(root, folder, file)),
);

/** What no wing changes is read once. */
const unchanged = new Map<string, ts.SourceFile | undefined>();

/** The exports of a wing, its ports, the fields of its settings and its folder: only files that name one can miss it. */
function namesOf(name: string): RegExp {
  const folder = homeOf(name);
  const texts = readdirSync(folder, { recursive: true, encoding: 'utf8' }).map((file) =>
    file.endsWith('.ts') ? readFileSync(join(folder, file), 'utf8') : '',
  );
  const exported = texts.flatMap((text) => [...text.matchAll(/^export (?:abstract |async )*\w+\*? (\w+)/gm)]);
  const ports = texts.flatMap((text) => [...text.matchAll(/^ {4}(\w+): (?:shared|replaceable)\(/gm)]);
  const fields = lists.flatMap((path) => {
    const text = readFileSync(path, 'utf8');
    const left = new Set(withoutLines(text, name).match(/\w+(?=\??:)/g));
    return text.match(/\w+(?=\??:)/g)?.filter((field) => !left.has(field)) ?? [];
  });
  const names = [...[...exported, ...ports].map(([, each]) => each), ...fields].join('|');
  return new RegExp(`\\b(${names})\\b|/${name}/`);
}

/** The files of the house that do not compile without the folder of a wing and its lines in the lists. */
function faultyWithout(name: string): readonly string[] {
  const { config } = ts.readConfigFile(join(root, 'tsconfig.json'), ts.sys.readFile) as { config: object };
  const { options } = ts.parseJsonConfigFileContent({ ...config, include: [], files: lists }, ts.sys, root);
  const host = ts.createCompilerHost(options);
  const { fileExists, readFile, getSourceFile } = host;
  const home = homeOf(name) + '/';
  const isGone = (path: string): boolean => resolve(path).startsWith(home);
  host.fileExists = (path) => !isGone(path) && fileExists(path);
  host.readFile = (path) => (isGone(path) ? undefined : readFile(path));
  host.getSourceFile = (path, ...rest) => {
    if (isGone(path)) return undefined;
    const edited = lists.includes(resolve(path)) && withoutLines(readFile(path) ?? '', name);
    if (edited) return ts.createSourceFile(path, edited, options.target ?? ts.ScriptTarget.ES2023);
    if (!unchanged.has(path)) unchanged.set(path, getSourceFile(path, ...rest));
    return unchanged.get(path);
  };
  const rootNames = house.filter((file) => !isGone(file));
  const program = ts.createProgram({ rootNames, options, host });
  expect(program.getSourceFiles().filter(({ fileName }) => isGone(fileName))).toEqual([]);
  const names = namesOf(name);
  const isFaulty = (path: string): boolean => {
    const file = program.getSourceFile(path);
    if (!file) throw new Error(`${path} is not compiled`);
    if (!names.test(file.text) && !lists.includes(path)) return false;
    return program.getSyntacticDiagnostics(file).length + program.getSemanticDiagnostics(file).length > 0;
  };
  return rootNames.filter(isFaulty).map((path) => relative(root, path));
}

describe('the house without a wing', () => {
  it.each(['state', 'mirror', 'requests'])('compiles: %s', { timeout: 240_000 }, (name) => {
    expect(faultyWithout(name)).toEqual([]);
  });

  it('compiles but for the adapters of its port: receipts', { timeout: 240_000 }, () => {
    expect(faultyWithout('receipts').toSorted()).toEqual([
      'apps/server/src/workers/link-services.ts',
      'apps/server/src/workers/remote-ports.ts',
      'libs/redis/src/receipts/redis-receipt.repository.ts',
      'libs/testing/src/contracts/receipt-repository.contract.ts',
      'libs/typeorm/src/cluster/receipts/postgres-receipt.repository.ts',
    ]);
  });

  it('compiles but for the adapters of its port, and what names these: live-activities', { timeout: 240_000 }, () => {
    expect(faultyWithout('live-activities').toSorted()).toEqual([
      'apps/server/src/app.module.ts',
      'libs/testing/src/contracts/live-activity-repository.contract.ts',
      'libs/typeorm/src/live-activities/typeorm-live-activity.repository.ts',
      'test/support/fan-out-world.ts',
    ]);
  });

  it('does not compile if the core needs it', { timeout: 240_000 }, () => {
    expect(faultyWithout('occupancy')).toContain('libs/channels/src/nodes/nodes.service.ts');
  });
});
