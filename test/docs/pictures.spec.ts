import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { withBars } from '../../bench/report/bars.mjs';
import { docPages } from '../support/doc-blocks.js';

const root = join(import.meta.dirname, '../..');
const images = join(root, 'docs/images');
const read = (path: string): string => readFileSync(join(root, path), 'utf8');

const shown = docPages(root).flatMap(({ page, text }) =>
  Array.from(text.matchAll(/!\[([^\]]*)\]\(([^)]+)\)/g), ([, alt = '', path = '']) => ({
    page,
    alt,
    file: path.split('/').at(-1)!,
  })),
);
const drawings = readdirSync(images).filter((name) => name.endsWith('.svg'));

it('has every picture on a page, with words for those who do not see it', () => {
  const files = shown.filter(({ page }) => /^(docs\/[^/]+|README)\.md$/.test(page)).map(({ file }) => file);
  expect([...new Set(files)].toSorted()).toEqual(readdirSync(images).toSorted());
  expect(shown.filter(({ alt }) => alt.split(' ').length < 5)).toEqual([]);
});

describe.each(drawings)('the picture %s', (name) => {
  const svg = read(`docs/images/${name}`);

  it('has a title and a description, and colours for dark pages', () => {
    expect(svg).toMatch(/<title id="title">[A-Z].{10,}<\/title>/);
    expect(svg).toMatch(/<desc id="desc">[A-Z].{40,}<\/desc>/);
    expect(svg).toContain('@media (prefers-color-scheme: dark)');
  });

  it('looks like the others', () => {
    const styleOf = (text: string): string | undefined => /<style>[^]*?<\/style>/.exec(text)?.[0];
    expect(styleOf(svg)).toBe(styleOf(read('docs/images/scaling.svg')));
  });
});

it('draws the bars of delivery as its table has the figures', () => {
  const [picture, page] = [read('docs/images/delivery.svg'), read('docs/delivery.md')];
  expect(withBars(picture, page)).toBe(picture);
  expect(withBars(picture, page.replaceAll('88.4', '77.7'))).not.toBe(picture);
  expect(() => withBars(picture, '# Delivery\n')).toThrow('no figures of the row jitter');
  expect(() => withBars('<svg></svg>', page)).toThrow('no place for bars');
});
