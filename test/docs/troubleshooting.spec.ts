import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';

const root = join(import.meta.dirname, '../..');
const read = (path: string): string => readFileSync(join(root, path), 'utf8');
const sources = ['libs/channels/src', 'libs/publish/src', 'libs/push-device/src', 'libs/redis/src', 'apps/server/src']
  .flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' }).map((name) => `${folder}/${name}`),
  )
  .filter((path) => path.endsWith('.ts') && !path.endsWith('.spec.ts'))
  .map(read)
  .join('\n')
  // A text may go on in the next line.
  .replaceAll(/['`] \+\s+['`]/g, '');

/** The texts of the server as symptoms and in sentences, in parts where the page leaves something out. */
function quoted(page: string): string[][] {
  const texts = Array.from(page.matchAll(/`([A-Z][a-z]+ [^`]+)`/g), ([, text]) => text!);
  return texts.map((text) => text.split('…').map((part) => part.trim()));
}

const isOurs = (parts: readonly string[]): boolean => parts.every((part) => sources.includes(part));

const found = ['troubleshooting', 'limits'].flatMap((page) => quoted(read(`docs/${page}.md`)));

it('quotes texts of the server', () => {
  expect(found.length).toBeGreaterThan(15);
  expect(found.filter((parts) => !isOurs(parts))).toEqual([]);
});

it('would notice a text that the server does not send', () => {
  expect(quoted('| 4003 `Application is switched off` |').filter((parts) => !isOurs(parts))).toHaveLength(1);
});

it('names each close code of a refused or lost connection', () => {
  const page = read('docs/troubleshooting.md');
  for (const code of [4000, 4001, 4003, 4004, 4009, 4100, 4200, 4201]) expect(page).toContain(`- ${code} `);
});
