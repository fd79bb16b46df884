import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { comparedPages } from '../support/compared-pages.js';
import { docBlocks } from '../support/doc-blocks.js';

const root = join(import.meta.dirname, '../..');
const blocks = docBlocks(root);
const linesOf = (text: string): string[] => text.split('\n').map((line) => line.trim());

it.each(comparedPages)('$page shows code that is run', ({ page, languages, files }) => {
  const shown = blocks.filter((block) => block.page === page && languages.includes(block.language));
  expect(shown.length).toBeGreaterThan(0);
  const sources = files.map((file) => linesOf(readFileSync(join(root, file), 'utf8')));
  const isShownIn = (block: string[], source: string[]): boolean =>
    source.some((_, at) => block.every((line, i) => source[at + i] === line));
  const isRun = (code: string): boolean => sources.some((source) => isShownIn(linesOf(code.trim()), source));
  const unproven = shown.filter(({ code }) => !isRun(code)).map(({ place, code }) => `${place}:\n${code}`);
  expect(unproven, 'blocks that no test runs').toEqual([]);
});
