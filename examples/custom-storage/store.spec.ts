import { appendFileSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeEach, expect, it } from 'vitest';
import { folder, path } from './src/store/document.store.js';
import { JsonLinesStore } from './src/store/json-lines.store.js';
import { LiveStore } from './src/store/live.store.js';

const directory = mkdtempSync(join(tmpdir(), 'rookery-document-store-'));
afterAll(() => rmSync(directory, { recursive: true }));

let store: LiveStore;
beforeEach(() => void (store = new LiveStore()));

const put = (id: string, value: unknown, expiresAt?: number) =>
  store.transact(async (documents) => documents.set(id, value, expiresAt));
const ids = async (...asked: Parameters<LiveStore['list']>) => (await store.list(...asked)).map(({ id }) => id);

it('commits nothing if a document has changed', async () => {
  await put('a', 1);
  const version = (await store.read('a'))!.version;
  await put('a', 2);
  const writes = [
    { id: 'a', value: 3 },
    { id: 'b', value: 3 },
  ];
  expect(await store.commit(new Map([['a', version]]), writes)).toBe(false);
  expect(await store.commit(new Map([['b', version]]), writes)).toBe(false);
  expect([(await store.read('a'))?.value, await store.read('b')]).toEqual([2, undefined]);
});

it('distinguishes a document from an earlier one with its id', async () => {
  await put('a', 1);
  const { version } = (await store.read('a'))!;
  await put('a', undefined);
  await put('a', 1);
  expect(await store.commit(new Map([['a', version]]), [])).toBe(false);
});

it('repeats work after a conflict', async () => {
  const add = () =>
    store.transact(async (documents) => documents.set('sum', ((await documents.get<number>('sum')) ?? 0) + 1));
  await Promise.all(Array.from({ length: 20 }, add));
  expect((await store.read('sum'))?.value).toBe(20);
});

it('lists a folder in the order of ids, page by page', async () => {
  for (const name of ['c', 'a', 'b/x', 'B']) await put(path('names', name), name);
  await put(path('names of others', 'a'), 'a');
  const all = ['B', 'a', 'b/x', 'c'].map((name) => path('names', name));
  expect(await ids(folder('names'))).toEqual(all);
  expect(await ids(folder('names'), 'a', 2)).toEqual(all.slice(2));
  expect(await ids(folder('names'), 'aa', 1)).toEqual(all.slice(2, 3));
});

it('forgets a document when it expires', async () => {
  await put('gone', 1, Date.now());
  await put('there', 1, Date.now() + 60_000);
  expect([await store.read('gone'), await ids('')]).toEqual([undefined, ['there']]);
  for (let count = 0; count < 1100; count += 1) await put('there', count);
  expect(await ids('')).toEqual(['there']);
});

it('restores committed documents from its file, and ignores a truncated line', async () => {
  const file = join(directory, 'documents.jsonl');
  const first = await JsonLinesStore.open(file);
  await Promise.all(
    [1, 2, 3].map((value) =>
      first.commit(new Map(), [
        { id: 'a', value },
        { id: `b${value}`, value },
      ]),
    ),
  );
  await first.commit(new Map(), [{ id: 'b1' }]);
  // Not closed: as after a crash.
  appendFileSync(file, '[{"id":"a","value":4');
  const second = await JsonLinesStore.open(file);
  expect((await second.list('')).map(({ id, value }) => [id, value])).toEqual([
    ['a', 3],
    ['b2', 2],
    ['b3', 3],
  ]);
  await second.commit(new Map(), [{ id: 'a', value: 5 }]);
  expect(readFileSync(file, 'utf8').trim().split('\n')).toHaveLength(4);
  await first.onApplicationShutdown();
  await second.onApplicationShutdown();
});
