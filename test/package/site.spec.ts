import { execFile } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { accessibilityFaults } from '../support/accessibility.js';
import { describeChromium, launchChromium } from '../support/chromium.js';
import { brokenLinks, type SitePage } from '../support/site-links.js';
import { siteQuestions } from '../support/site-questions.js';
import { serveStatic } from '../support/static-site.js';
import { until } from '../support/until.js';
import { describePackage, minutes } from './installed.js';

const root = join(import.meta.dirname, '../..');
const built = join(root, 'site/.vitepress/dist');

/** What npm sets for its scripts is of this run, not of the one to start. */
const environment = { PATH: process.env['PATH'], HOME: process.env['HOME'], CI: 'true' };
const npm = (...args: readonly string[]) => promisify(execFile)('npm', args, { cwd: root, env: environment });

describePackage('the site of the pages', () => {
  // VitePress ends with an error where a page links to one that is not there.
  beforeAll(async () => {
    await npm('run', 'docs');
  }, minutes(15));

  const pages = (): SitePage[] =>
    readdirSync(built, { recursive: true, encoding: 'utf8' })
      .filter((name) => name.endsWith('.html'))
      .map((name) => ({ path: `/${name}`, html: readFileSync(join(built, name), 'utf8') }));

  it('has a page for each page of docs, named in the navigation', () => {
    const names = readdirSync(join(root, 'docs'), { recursive: true, encoding: 'utf8' }).filter((name) =>
      name.endsWith('.md'),
    );
    expect(names.length).toBeGreaterThan(20);
    const addresses = names.map((name) => name.replace(/\.md$/, '').replace(/README$/, 'index'));
    expect(pages().map(({ path }) => path)).toEqual(expect.arrayContaining(addresses.map((each) => `/${each}.html`)));
    const [guide] = pages().filter(({ path }) => path === '/channels.html');
    for (const address of addresses) expect(guide!.html).toContain(`href="/${address.replace(/index$/, '')}"`);
  });

  it('has no link to a missing heading', () => {
    const others = readdirSync(built, { recursive: true, encoding: 'utf8' }).filter((name) => !name.endsWith('.html'));
    const files = others.map((name) => ({ path: `/${name}`, html: '' }));
    expect(brokenLinks([...pages(), ...files])).toEqual([]);
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

  const read = (path: string): string => readFileSync(join(built, path), 'utf8');

  it('has each page as Markdown, whose links lead to others, and a list of them', () => {
    const listed = Array.from(read('llms.txt').matchAll(/^- \[.+\]\(\/(.+\.md)\)/gm), ([, path]) => path!);
    const markdown = pages().flatMap(({ path }) => path.replace(/^\/(.+)\.html$/, '$1.md'));
    expect(listed.length).toBeGreaterThan(40);
    expect(markdown).toEqual(expect.arrayContaining(listed));
    const lostLinks = (path: string) =>
      Array.from(read(path).matchAll(/\]\((\/[^)#]+\.(?:md|html|png))[^)]*\)/g), ([, link]) => link!).filter(
        (link) => !existsSync(join(built, link)),
      );
    for (const path of listed) {
      expect(read(path)).toMatch(/^# /m);
      expect(lostLinks(path), path).toEqual([]);
    }
    expect(read('operating.md')).toContain('](/scaling.md#a-rolling-upgrade)');
    expect(read('push.html')).toContain('<link rel="alternate" type="text/markdown" href="/push.md">');
  });

  it('has the files of the repository that pages lead to', () => {
    expect(read('operating.html')).toContain('href="/source/ops/proxies/nginx.conf.html" target="_self"');
    expect(read('source/ops/proxies/nginx.conf.html')).toContain('proxy_pass http://rookery;');
    expect(read('source/index.html')).toContain('href="/source/examples/"');
    expect(existsSync(join(built, 'source/node_modules'))).toBe(false);
  });

  describeChromium('in a browser', () => {
    let site: Awaited<ReturnType<typeof serveStatic>>;
    let browser: Browser;
    let page: Page;
    beforeAll(async () => {
      [site, browser] = await Promise.all([serveStatic(built), launchChromium()]);
      page = await browser.newPage();
    });
    afterAll(async () => {
      await browser.close();
      site.close();
    });

    it('begins with a landing page, with a logo and a link to the source', async () => {
      await page.goto(site.url);
      expect(await page.locator('h1').allTextContents()).toEqual([expect.stringContaining('Rookery')]);
      const widths = await page.evaluate("Array.from(document.querySelectorAll('img'), (img) => img.naturalWidth)");
      expect((widths as number[]).length).toBeGreaterThan(1);
      expect(widths).not.toContain(0);
      await page.getByRole('link', { name: 'Source' }).first().click();
      await page.getByRole('heading', { name: 'Source' }).waitFor();
      await page.getByRole('link', { name: 'README.md', exact: true }).click();
      await page.getByRole('heading', { name: 'README.md' }).waitFor();
    });

    it('shows pictures that need no script', async () => {
      const context = await browser.newContext({ javaScriptEnabled: false });
      const read = await context.newPage();
      for (const path of ['concepts', 'notifications', 'private-channel', 'delivery']) {
        await read.goto(`${site.url}/${path}`);
        const picture = read.locator('.vp-doc img[alt]');
        expect(await picture.evaluate((img: { naturalWidth: number }) => img.naturalWidth)).toBeGreaterThan(700);
      }
      await context.close();
    });

    /** A page itself, where the link leads to its own heading, or to none: then a browser shows its beginning. */
    function sectionAt(link: string): string {
      const [path = '', anchor] = link.split('#');
      const file = `${path.slice(1)}${path.endsWith('/') ? 'index' : ''}.html`;
      const html = read(file);
      return html.includes(`<h1 id="${anchor}"`) || !html.includes(` id="${anchor}"`) ? path : link;
    }

    /** The sections that the search shows. It remembers the words before, and would show their sections first. */
    async function found(words: string): Promise<readonly string[]> {
      await page.goto(`${site.url}/channels`);
      await page.evaluate('sessionStorage.clear()');
      await page.locator('.VPNavBarSearch button').first().click();
      await page.locator('#localsearch-input').fill(words);
      const links = "Array.from(document.querySelectorAll('#localsearch-list a'), (link) => link.pathname + link.hash)";
      let shown: readonly string[] = [];
      const isDone = async () => {
        shown = (await page.evaluate(links)) as readonly string[];
        return shown.length > 0 || (await page.getByText('No results for').count()) > 0;
      };
      await until(isDone, 'the search answers');
      return shown.map(sectionAt);
    }

    // test/docs/search.spec.ts asks all questions without a browser. It reads the sources, where the site has what
    // VitePress makes of them, so hits that hardly answer may come in another order.
    it.each(siteQuestions.filter((_, at) => at % 10 === 0))('answers "%s" at %s', async (question, section) => {
      expect((await found(question)).slice(0, 3)).toContain(section);
    });

    it('finds nothing for a word that no page has', async () => {
      expect(await found('xyzzyfoobar')).toEqual([]);
    });

    it.each([
      ['light', 'all'],
      ['dark', 'colors'],
    ] as const)('has no fault that axe finds, in %s: %s rules', { timeout: minutes(3) }, async (theme, rules) => {
      const context = await browser.newContext({ colorScheme: theme });
      const visited = await context.newPage();
      const faults: string[] = [];
      for (const path of ['/', '/channels', '/notifications', '/troubleshooting', '/performance', '/source/', '/404']) {
        await visited.goto(site.url + path);
        faults.push(...(await accessibilityFaults(visited, rules)).map((fault) => `${path}: ${fault}`));
      }
      await context.close();
      expect(faults).toEqual([]);
    });
  });
});
