import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';

const root = join(import.meta.dirname, '../..');
const linesOf = (text: string): string[] => text.split('\n').map((line) => line.trim());
const read = (path: string): string => readFileSync(join(root, path), 'utf8');

/** Pages whose code is taken from files that tests run. */
const embedding = readdirSync(join(root, 'test/docs/embedding')).map((name) => `test/docs/embedding/${name}`);
it.each([
  ['docs/authorization.md', /^```ts\n([^]*?)^```/gm, ['test/support/authorizing-host.ts']],
  ['docs/transactions.md', /^```ts\n([^]*?)^```/gm, ['test/support/ordering-host.ts']],
  ['docs/notifications.md', /^```ts\n([^]*?)^```/gm, embedding],
  ['docs/testing.md', /^```ts\n([^]*?)^```/gm, ['test/e2e/testing.spec.ts']],
  ['docs/typed-events.md', /^```ts\n([^]*?)^```/gm, ['test/e2e/typed-events.spec.ts']],
  ['docs/embedding.md', /^```[jt]s\n([^]*?)^```/gm, ['test/support/authorizing-host.ts', ...embedding]],
])('%s shows code that is run', (page, code, files) => {
  const blocks = Array.from(read(page).matchAll(code), ([, block]) => linesOf(block!.trim()));
  expect(blocks.length).toBeGreaterThan(0);
  const sources = files.map((file) => linesOf(read(file)));
  const isShownIn = (block: string[], source: string[]): boolean =>
    source.some((_, at) => block.every((line, i) => source[at + i] === line));
  for (const block of blocks)
    if (!sources.some((source) => isShownIn(block, source))) expect.fail(`No test runs this:\n${block.join('\n')}`);
});
