import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { checkedFile } from '../../apps/server/src/config/config-file.js';
import { faultsOf } from '../support/checked-snippets.js';
import { blocksOf, docBlocks, docPages } from '../support/doc-blocks.js';
import { docSnippets, docSurroundings, knownFaults, withoutLine } from '../support/doc-surroundings.js';
import { parsed } from '../support/parsed-command.js';

const root = join(import.meta.dirname, '../..');
const blocks = docBlocks(root);

/** What is neither run nor checked here, and why or where it is. */
const unchecked: Readonly<Record<string, string>> = {
  '': 'excerpts of what goes over the wire',
  text: 'charts',
  swift: 'not compiled: its pages say so',
  html: 'run by test/docs/private-channel.spec.ts',
  jsx: 'run by test/hooks/documented-hooks.browser.spec.ts',
  vue: 'run by test/hooks/documented-hooks.browser.spec.ts',
  ini: 'given to PostgreSQL, Redis and the server by test/docs/three-machines.spec.ts',
  sql: 'run by test/trigger/triggers-on-postgres.e2e.spec.ts',
  yaml: 'given to Prometheus by test/deployment/pages.e2e.spec.ts',
  nginx: 'given to nginx by test/deployment/pages.e2e.spec.ts',
};

/** Pages of SDKs have code for compilers and packages that are not here: each says what of it was tried. */
const isOfSdk = ({ page }: { readonly page: string }): boolean => page.startsWith('docs/sdks/');

it('handles every block', () => {
  const known = new Set(['sh', 'json', 'js', 'ts', 'diff', ...Object.keys(unchecked)]);
  const others = blocks.filter((block) => !known.has(block.language) && !isOfSdk(block));
  expect(others.map(({ place }) => place)).toEqual([]);
  expect(blocks.length).toBeGreaterThan(60);
});

/** Those in a sentence; commands.spec.ts runs those that stand in blocks. */
const inSentences = docPages(root).flatMap(({ page, text }) =>
  Array.from(text.matchAll(/`(?:npx )?rookery ([a-z][^`]* --[^`]+)`/g), ([, command = '']) => ({ page, command })),
);

describe('a command in a sentence', () => {
  it('is found', () => expect(inSentences.length).toBeGreaterThan(1));

  it.each(inSentences)('is a valid call: rookery $command ($page)', ({ command }) => {
    expect(() => parsed(command)).not.toThrow();
  });

  it.each(['triger a b', 'trigger --colour red a b c', 'subscribe'])('is detected if invalid: %s', (command) => {
    expect(() => parsed(command)).toThrow();
  });
});

/** Settings with the places filled in that the reader fills in. */
function filled(value: unknown, name = ''): unknown {
  if (Array.isArray(value)) return value.map((each) => filled(each, name));
  if (typeof value === 'object' && value !== null)
    return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, filled(each, key)]));
  if (typeof value !== 'string' || !value.includes('…')) return value;
  if (value.startsWith('https://')) return 'https://example.com/hook';
  return name === 'id' || name === 'instance' ? '8a0c7a8e-5b2f-4f0e-9f39-0d6e1a2b3c4d' : 'text';
}

function checkJson(code: string): void {
  const value = filled(JSON.parse(code.trimStart().startsWith('{') ? code : `{${code}}`)) as object;
  const settings = ['apps', 'instances', 'channels', 'devices', 'publish', 'console', 'redis', 'notifications'];
  if (Object.keys(value).some((name) => settings.includes(name))) checkedFile(value);
}

describe('JSON on a page', () => {
  it.each(blocks.filter(({ language }) => language === 'json'))('is valid: $place', ({ code }) => checkJson(code));

  it.each([
    '{ "apps": [{ "id": "1", "key": "…" }] }',
    '{ "instances": [{ "id": "…", "secret": "…" }] }',
    '{ "a": 1, }',
  ])('is detected if invalid: %s', (code) => {
    expect(() => checkJson(code)).toThrow();
  });
});

it('shows code that compiles against the package and the SDKs', { timeout: 180_000 }, () => {
  const wrong = [
    "new Pusher({ appId: '1', key: 'k', secret: 's', hots: 'x', host: 'y' });",
    'ChannelsModule.forRoot({ sockets: { guard: [PlanGuard] } });',
    'constructor(private readonly events: EventsService) {}\nawait this.events.triger(appId, {});',
    'NoSuchModule.forRoot();',
    'const shown = (text) => text;',
  ].map((code, i) => ({ place: `planted ${i}`, language: 'ts', code }));
  const snippets = docSnippets(root);
  const faults = faultsOf(root, [...snippets, ...wrong], docSurroundings, ['rookery-source']);
  const found = faults.filter((fault) => fault.startsWith('planted')).map((fault) => fault.split(':')[0]);
  expect([...new Set(found)]).toEqual(wrong.map(({ place }) => place));
  const ofPages = faults.filter((fault) => !fault.startsWith('planted')).map(withoutLine);
  expect(ofPages.toSorted()).toEqual(Object.keys(knownFaults).toSorted());
  expect(snippets.length).toBeGreaterThan(80);
});

it('reads blocks within lists', () => {
  expect(blocksOf('a.md', '1. x\n\n   ```sh\n   ls\n   ```\n')).toEqual([
    { place: 'a.md:3', page: 'a.md', language: 'sh', code: 'ls\n' },
  ]);
});
