import { execFile } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { beforeAll, expect, it } from 'vitest';
import { brokenLinks, type SitePage } from '../support/site-links.js';
import { describePackage, minutes } from './installed.js';

const root = join(import.meta.dirname, '../..');
const built = join(root, 'site/.vitepress/dist');

/** What npm sets for its scripts is of this run, not of the one to start. */
const environment = { PATH: process.env['PATH'], HOME: process.env['HOME'], CI: 'true' };
const npm = (...args: readonly string[]) => promisify(execFile)('npm', args, { cwd: root, env: environment });

describePackage('the site of the pages', () => {
  // VitePress ends with an error where a page links to one that is not there.
  beforeAll(async () => {
    await npm('run', 'docs', ...(existsSync(join(root, 'site/node_modules')) ? ['--ignore-scripts'] : []));
  }, minutes(5));

  const pages = (): SitePage[] =>
    readdirSync(built, { recursive: true, encoding: 'utf8' })
      .filter((name) => name.endsWith('.html'))
      .map((name) => ({ path: `/${name}`, html: readFileSync(join(built, name), 'utf8') }));

  it('has a page for each page of docs, named in the navigation of the first', () => {
    const names = readdirSync(join(root, 'docs'), { recursive: true, encoding: 'utf8' }).filter((name) =>
      name.endsWith('.md'),
    );
    expect(names.length).toBeGreaterThan(20);
    const addresses = names.map((name) => name.replace(/\.md$/, '').replace(/README$/, 'index'));
    expect(pages().map(({ path }) => path)).toEqual(expect.arrayContaining(addresses.map((each) => `/${each}.html`)));
    const [first] = pages().filter(({ path }) => path === '/index.html');
    for (const address of addresses) expect(first!.html).toContain(`href="/${address.replace(/index$/, '')}"`);
  });

  it('has no link to a missing heading', () => {
    expect(brokenLinks(pages())).toEqual([]);
  });

  it.each([
    ['a heading that is not there', '/b#no', [{ page: '/a.html', href: '/b#no' }]],
    ['a page that is not there', '/c', [{ page: '/a.html', href: '/c' }]],
    ['a heading', '/b#yes', []],
    ['another site', 'https://example.com/c', []],
  ])('detects a bad link to %s', (_, href, wrong) => {
    const planted = [
      { path: '/a.html', html: `<a class="x" href="${href}">x</a>` },
      { path: '/b.html', html: '<h2 id="yes">Yes</h2>' },
    ];
    expect(brokenLinks(planted)).toEqual(wrong);
  });

  it('finds words with its own local index', async () => {
    const [file] = readdirSync(join(built, 'assets/chunks')).filter((name) => name.startsWith('@localSearchIndex'));
    const chunk = (await import(pathToFileURL(join(built, 'assets/chunks', file!)).href)) as { default: string };
    const MiniSearch = createRequire(join(root, 'site/package.json'))('minisearch') as {
      loadJSON(json: string, options: object): { search(words: string): { id: string }[] };
    };
    const index = MiniSearch.loadJSON(chunk.default, { fields: ['title', 'titles', 'text'] });
    const found = (words: string) => index.search(words).map(({ id }) => id);
    expect(found('subscription_count')).toContainEqual(expect.stringMatching(/^\/channels#/));
    expect(found('VAPID')).toContainEqual(expect.stringMatching(/^\/push#/));
    expect(found('xyzzyfoobar')).toEqual([]);
  });
});
