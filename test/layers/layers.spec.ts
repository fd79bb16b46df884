import { execFile } from 'node:child_process';
import { copyFile, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { afterEach, beforeEach, expect, it } from 'vitest';

const root = resolve(import.meta.dirname, '../..');
const run = promisify(execFile);
let house: string;

beforeEach(async () => {
  house = await mkdtemp(join(tmpdir(), 'rookery-layers-'));
  await copyFile(join(root, 'tsconfig.json'), join(house, 'tsconfig.json'));
});
afterEach(() => rm(house, { recursive: true }));

/** What the layer check says of a house of two files, one of which imports the other. */
async function verdictOn(from: string, to: string): Promise<string> {
  const specifier = `/${to}`.replace(/\.ts$/, '.js');
  const up = from.split('/').slice(1).fill('..').join('/');
  const files = { [to]: 'export const it = 1;\n', [from]: `export { it } from '${up}${specifier}';\n` };
  for (const [path, text] of Object.entries(files)) {
    await mkdir(dirname(join(house, path)), { recursive: true });
    await writeFile(join(house, path), text);
  }
  const check = [join(root, 'node_modules/.bin/depcruise'), '--config', join(root, '.dependency-cruiser.cjs'), '.'];
  return run(process.execPath, check, { cwd: house }).then(
    ({ stdout }) => stdout,
    ({ stdout }: { stdout: string }) => stdout,
  );
}

it.each([
  ['libs/channels/src/protocol/a.ts', 'libs/channels/src/access/b.ts', 'channels-protocol-imports-only'],
  ['libs/channels/src/connections/a.ts', 'libs/channels/src/hub/b.ts', 'channels-connections-imports-only'],
  ['libs/channels/src/hub/a.ts', 'libs/channels/src/events/b.ts', 'channels-hub-imports-only'],
  ['libs/channels/src/events/a.ts', 'libs/channels/src/http/b.ts', 'channels-events-imports-only'],
  ['libs/channels/src/http/a.ts', 'libs/channels/src/sockets/b.ts', 'channels-http-imports-only'],
  ['libs/client/src/a.ts', 'libs/events/src/index.ts', 'client-has-no-dependencies'],
  ['libs/presence/src/a.ts', 'libs/channels/src/index.ts', 'presence-imports-only'],
  ['libs/channels/src/a.ts', 'libs/publish/src/index.ts', 'channels-imports-only'],
  ['libs/channels/src/a.ts', 'libs/presence/src/member.ts', 'from-another-lib-only-through-its-index'],
])('an import that runs up or across fails: %s of %s', async (from, to, rule) => {
  expect(await verdictOn(from, to)).toContain(`error ${rule}`);
});

it.each([
  ['libs/channels/src/hub/a.ts', 'libs/channels/src/protocol/b.ts'],
  ['libs/channels/src/a.ts', 'libs/presence/src/index.ts'],
  ['apps/server/src/a.ts', 'libs/channels/src/index.ts'],
])('an import that runs down passes: %s of %s', async (from, to) => {
  expect(await verdictOn(from, to)).toContain('no dependency violations found');
});
