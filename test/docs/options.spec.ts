import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { format } from 'prettier';
import { expect, it } from 'vitest';
import { ConfigFile } from '../../apps/server/src/config/config-file.js';
import { Comments, type OptionRow, optionRows } from '../support/option-rows.js';

const root = join(import.meta.dirname, '../..');
const path = join(root, 'docs/options.md');
const begin = '<!-- As the settings classes have it: a test compares them. -->';

const comments = new Comments(root, ['libs', 'apps/server/src/config']);
/** Those on the page of limits, where limits.spec.ts compares their defaults: not those of instances, which it cannot. */
const limits = new Set(
  Array.from(
    readFileSync(join(root, 'docs/limits.md'), 'utf8').matchAll(/^\| `(?!instances)([\w.[\]]+)` +\|/gm),
    ([, name = '']) => (/[.[]/.test(name) ? name : `channels.limits.${name}`),
  ),
);
const isLimit = (path: string): boolean =>
  limits.has(path.replace(/^apps\[\]\.limits/, 'channels.limits')) ||
  [...limits].some((limit) => limit.startsWith(`${path}.`));

/** Without limits, and without objects that only group others. */
const options = optionRows(ConfigFile, comments).filter(
  (row) => !isLimit(row.path) && (row.type !== 'object' || row.meaning !== '') && row.default !== 'as below',
);

/** The lists of variables: name, default, meaning. */
const variables = /\n## Variables\n[^]*?\n(?=## )/.exec(readFileSync(join(root, 'docs/server.md'), 'utf8'))![0];

/** Without citations, which are for readers of the code; within backticks `<` is itself. */
const cell = (text: string): string =>
  text
    .replaceAll(/ \([^()]*\u00a7[^()]*\)/g, '')
    .replaceAll(/\{@link (\w+)\}/g, '`$1`')
    .replaceAll(/(`[^`]*`)|</g, (found) => (found === '<' ? '\\<' : found));

/** Most options are texts, which the page says once; the default of a boolean or integer shows its type. */
const showsType = (type: string, value: string): boolean =>
  type === 'text' || (/^(boolean|integer)$/.test(type) && !/^(required|none)$/.test(value));

/** The name of an option ends in its unit, which the page says once. */
const withoutUnit = (path: string, meaning: string): string =>
  /(Ms|Seconds|Bytes)$/.test(path) ? meaning.replace(/,? in (milliseconds|seconds|bytes)\b(, (?!at))?/, '$2') : meaning;

function section(heading: string, rows: readonly OptionRow[]): string {
  const lines = rows.map((row) => {
    const [type, value, meaning] = [row.type, row.default, row.meaning].map(cell);
    const shown = [showsType(type!, value!) ? '' : type, value === 'none' ? '' : value].filter(Boolean).join(', ');
    return `| \`${row.path}\` | ${shown.replaceAll('|', '\\|')} | ${withoutUnit(row.path, meaning!)} |`;
  });
  return [`## \`${heading}\``, '', '| Option | Type, default | Meaning |', '| --- | --- | --- |', ...lines].join('\n');
}

const top = (row: OptionRow): string => row.path.split(/[.[]/)[0]!;

it('has every option on one page', async () => {
  const page = readFileSync(path, 'utf8');
  const before = page.slice(0, page.indexOf(begin) + begin.length);
  const groups = [...new Set(options.map(top))].map((name) =>
    section(
      name,
      options.filter((row) => top(row) === name),
    ),
  );
  const written = await format(`${before}\n\n${groups.join('\n\n')}\n`, { parser: 'markdown' });
  // To write it anew: WRITE_DOCS=1 npx vitest run test/docs/options.spec.ts
  if (process.env['WRITE_DOCS']) writeFileSync(path, written);
  expect(readFileSync(path, 'utf8')).toBe(written);
});

it('describes each of them', () => {
  expect(options.length).toBeGreaterThan(100);
  const silent = options.filter(({ meaning, type }) => meaning === '' && type !== 'object').map((row) => row.path);
  expect(silent).toEqual([]);
});

it('names in docs/server.md the variables that the server reads, and no others', () => {
  const sources = readdirSync(join(root, 'apps/server/src/config'), { encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts') && !name.endsWith('.spec.ts'))
    .map((name) => readFileSync(join(root, 'apps/server/src/config', name), 'utf8'));
  const read = sources.flatMap((source) => [
    ...Array.from(source.matchAll(/environment\['(\w+)'\]/g), ([, name]) => name!),
    // By what is destructured of it, listed or asked for by name.
    ...Array.from(
      source.matchAll(/\b([A-Z]+(?:_[A-Z]+)*): (?:text|\w+)\b(?=[^;{}]*\}: Environment)/g),
      ([, name]) => name!,
    ),
    ...Array.from(source.matchAll(/'((?:PUSHER_APP|ALLOW)_[A-Z_]+)'/g), ([, name]) => name!),
  ]);
  const named = Array.from(variables.matchAll(/^- (`\w+`(?:, `\w+`)*) \(/gm), ([, names]) => names!).flatMap((names) =>
    Array.from(names.matchAll(/`(\w+)`/g), ([, name]) => name!),
  );
  // The one says what kind of deployment it is, which the text above the list tells; the other is Node's own.
  const expected = new Set(read.filter((name) => name !== 'NODE_ENV'));
  expect(named.filter((name) => name !== 'NODE_EXTRA_CA_CERTS').toSorted()).toEqual([...expected].toSorted());
});
