import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** A fenced block of a page. */
export interface DocBlock {
  /** Such as `docs/push.md:31`. */
  readonly place: string;
  readonly page: string;
  /** As it stands behind the fence; empty: none. */
  readonly language: string;
  readonly code: string;
}

/** A page as it is written: the README, its neighbours, those of packages and of docs. */
export interface DocPage {
  /** Such as `docs/push.md`. */
  readonly page: string;
  readonly text: string;
}

/** The first pages of the packages beside the kit. */
const packagePages = (root: string): string[] => {
  const { workspaces } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { workspaces: string[] };
  return workspaces.filter((folder) => folder !== '.').map((folder) => `${folder}/README.md`);
};

export function docPages(root: string): DocPage[] {
  const docs = readdirSync(join(root, 'docs'), { recursive: true, encoding: 'utf8' }).map((name) => `docs/${name}`);
  return [
    'README.md',
    'ARCHITECTURE.md',
    'CONTRIBUTING.md',
    'RELEASING.md',
    'SECURITY.md',
    ...packagePages(root),
    ...docs,
  ]
    .filter((path) => path.endsWith('.md') && existsSync(join(root, path)))
    .toSorted((a, b) => a.localeCompare(b))
    .map((page) => ({ page, text: readFileSync(join(root, page), 'utf8') }));
}

/** All fenced blocks of all pages. */
export const docBlocks = (root: string): DocBlock[] => docPages(root).flatMap(({ page, text }) => blocksOf(page, text));

export const blocksOf = (page: string, markdown: string): DocBlock[] =>
  Array.from(
    markdown.matchAll(/^( *)```(\w*)\n([^]*?)^ *```$/gm),
    ({ index, 1: indent = '', 2: language = '', 3: code = '' }) => ({
      place: `${page}:${markdown.slice(0, index).split('\n').length}`,
      page,
      language,
      code: code.replaceAll(new RegExp(`^${indent}`, 'gm'), ''),
    }),
  );

/** What a change on a page makes of the code. */
export const changed = (diff: string): string =>
  diff
    .split('\n')
    .filter((line) => !/^ *-/.test(line))
    .map((line) => line.replace(/^( *)\+/, '$1 '))
    .join('\n');
