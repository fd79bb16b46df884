import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';

const root = join(import.meta.dirname, '../..');
const linesOf = (text: string): string[] => text.split('\n').map((line) => line.trim());
const read = (path: string): string => readFileSync(join(root, path), 'utf8');

/** Pages whose code is taken from files that tests run. */
it.each([
  ['docs/authorization.md', ['test/support/authorizing-host.ts']],
  ['docs/transactions.md', ['test/support/ordering-host.ts']],
])('%s shows code that is run', (page, files) => {
  const blocks = Array.from(read(page).matchAll(/^```ts\n([^]*?)^```/gm), ([, code]) => linesOf(code!.trim()));
  expect(blocks.length).toBeGreaterThan(0);
  const sources = files.map((file) => linesOf(read(file)));
  const isShownIn = (block: string[], source: string[]): boolean =>
    source.some((_, at) => block.every((line, i) => source[at + i] === line));
  for (const block of blocks)
    if (!sources.some((source) => isShownIn(block, source))) expect.fail(`No test runs this:\n${block.join('\n')}`);
});
