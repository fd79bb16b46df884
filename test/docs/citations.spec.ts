import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';

const root = join(import.meta.dirname, '../..');
const text = (path: string): string => readFileSync(join(root, path), 'utf8');

type Sections = ReadonlySet<string>;

/** The headings of a page, numbered ones by their number, and the items of its numbered lists: `3.4`, `10.2`, `Limits`. */
function sectionsOf(markdown: string): Sections {
  const sections = new Set<string>();
  let number = '';
  for (const line of markdown.split('\n')) {
    const heading = /^#{2,} (.+)/.exec(line)?.[1]?.replace(/[`*\\]/g, '');
    const item = /^(\d+)\. /.exec(line)?.[1];
    if (heading !== undefined) {
      number = /^\d+(\.\d+)*/.exec(heading)?.[0] ?? '';
      sections.add(number || heading);
    } else if (item !== undefined && number !== '') sections.add(`${number}.${item}`);
  }
  return sections;
}

const pages = new Map<string | undefined, Sections>(
  ['channels-wire', 'beams-wire', 'api'].map((page) => [page, sectionsOf(text(`docs/protocol/${page}.md`))]),
);

/**
 * The citations of a text: `channels-wire §3.4` has a number, `api § Limits` the words of a heading. One without a page
 * is of the page that was cited before it. RFCs are not ours.
 */
function checked(source: string, own?: string): { count: number; wrong: string[] } {
  const wrong: string[] = [];
  let page = own;
  let count = 0;
  for (const match of source.matchAll(/(?:\b(channels-wire|beams-wire|api|RFC \d+)(?:\]\(\S+\))? )?§( ?)(?=(.*))/g)) {
    const [, named, space, rest = ''] = match;
    if (named?.startsWith('RFC')) continue;
    count++;
    page = named ?? page;
    const sections = pages.get(page) ?? new Set();
    const numbered = /^\d+(\.\d+)*/.exec(rest)?.[0] ?? '';
    const isThere = space ? [...sections].some((each) => beginsWith(rest, each)) : sections.has(numbered);
    if (!isThere) wrong.push(`${page ?? 'no page'} §${space}${numbered || rest}`);
  }
  return { count, wrong };
}

const beginsWith = (rest: string, heading: string): boolean =>
  rest.startsWith(heading) && !/^[\w/<]/.test(rest.slice(heading.length));

const itself = 'test/docs/citations.spec.ts';
const files = ['apps', 'bench', 'docs', 'libs', 'scripts', 'test']
  .flatMap((folder) => readdirSync(join(root, folder), { recursive: true }).map((name) => `${folder}/${String(name)}`))
  .filter((path) => /\.(ts|mts|mjs|cjs|md)$/.test(path) && !path.includes('node_modules') && path !== itself);

/** Within a page, a bare citation is of the page itself. */
const pageAt = (path: string): string | undefined => /^docs\/protocol\/([\w-]+)\.md$/.exec(path)?.[1];

it('finds what the repository cites in docs/protocol', () => {
  const found = ['README.md', 'ARCHITECTURE.md', ...files].map((path) => ({
    path,
    ...checked(text(path), pageAt(path)),
  }));
  expect(found.flatMap(({ path, wrong }) => wrong.map((each) => `${path}: ${each}`))).toEqual([]);
  // Not only because it found none.
  expect(found.reduce((sum, { count }) => sum + count, 0)).toBeGreaterThan(100);
});

it.each([
  ['// (channels-wire §3.4)', []],
  ['// (channels-wire §3.1-§3.4, §10.2)', []],
  ['// RFC 6455 §99.9', []],
  ['/** api § POST /apps/<app_id>/events */', []],
  ['// (channels-wire §3.99)', ['channels-wire §3.99']],
  ['// (channels-wire §3.4), then (§12.1)', ['channels-wire §12.1']],
  ['// (beams-wire §12.99)', ['beams-wire §12.99']],
  ['// (api § Limitations)', ['api § Limitations)']],
  ['// (api § GET /apps/<app_id>/chan)', ['api § GET /apps/<app_id>/chan)']],
  ['// (§3.4)', ['no page §3.4']],
])('judges %s', (comment, wrong) => {
  expect(checked(comment).wrong).toEqual(wrong);
});
