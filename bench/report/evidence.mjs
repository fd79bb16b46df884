// What figures come from, as hashes: the build, the configuration, and the code of the row's hot path. The docs carry
// them in comments; `npm run bench -- --stale` lists those whose hot path has changed since.
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join, relative } from 'node:path';
import ts from 'typescript';

const root = join(import.meta.dirname, '../..');

const hash = (...parts) => {
  const made = createHash('sha256');
  for (const part of parts) made.update(part).update('\0');
  return made.digest('hex').slice(0, 12);
};

/** The code of these files and folders, without specs: comments and line breaks are no reason to measure again. */
export function codeHash(paths) {
  const files = paths.flatMap((path) => codeFilesOf(join(root, path)));
  return hash(
    ...[...new Set(files)]
      .toSorted((a, b) => (a < b ? -1 : 1))
      .flatMap((file) => [relative(root, file), ...tokensOf(file)]),
  );
}

/** @param report with the command's options: the machine and Node are part of the configuration as they are */
export function evidence({ hotPath }, { machine, options }) {
  const { cpu, cores, memoryGb, node, isPinned } = machine;
  return {
    date: machine.date,
    commit: machine.commit,
    build: buildHash(),
    configuration: hash(JSON.stringify({ cpu, cores, memoryGb, node, isPinned, options })),
    code: codeHash(hotPath),
  };
}

function buildHash() {
  const folder = join(root, 'dist/rookery');
  const files = readdirSync(folder).filter((name) => name.endsWith('.js'));
  return hash(...files.toSorted().flatMap((name) => [name, readFileSync(join(folder, name))]));
}

/** What stands before a row's figures: readers of the page's source see it. */
export function beginOf(row, of) {
  const fields = Object.entries(of).map(([name, value]) => `${name}=${value}`);
  return `<!-- measured: ${[row, ...fields].join(' ')} -->`;
}

export const end = '<!-- /measured -->';

/** @returns what the figures of a page come from, by the row's name */
export function evidenceOf(markdown) {
  return new Map(
    Array.from(markdown.matchAll(/<!-- measured: (\S+) (\S.*?) -->/g), ([, row, fields]) => [
      row,
      Object.fromEntries(fields.split(' ').map((field) => field.split('='))),
    ]),
  );
}

function codeFilesOf(path) {
  if (!statSync(path).isDirectory()) return [path];
  return readdirSync(path, { recursive: true })
    .filter((name) => /(?<!\.spec|\.d)\.(ts|mjs|cjs)$/.test(name))
    .map((name) => join(path, name));
}

/** By text: the hot paths of rows have files in common. */
const knownTokens = new Map();

function tokensOf(file) {
  const text = readFileSync(file, 'utf8');
  let tokens = knownTokens.get(text);
  if (!tokens) knownTokens.set(text, (tokens = tokensIn(file, text)));
  return tokens;
}

function tokensIn(file, text) {
  const source = ts.createSourceFile(file, text, ts.ScriptTarget.Latest);
  const tokens = [];
  const visit = (node) => {
    if (ts.isJSDoc(node)) return;
    const children = node.getChildren(source);
    if (children.length === 0) tokens.push(node.getText(source));
    for (const child of children) visit(child);
  };
  visit(source);
  return tokens;
}
