import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { linkModules } from '../../scripts/linked-modules.mjs';
import type { RunningCommand } from '../support/command-line.js';
import { buildServer } from '../support/server-process.js';
import { Terminals } from '../support/terminal.js';

const root = join(import.meta.dirname, '../..');

/** A copy of the sources, which the tests change one after the other. */
let folder: string;
let terminals: Terminals;
let server: RunningCommand;

beforeAll(async () => {
  await buildServer();
  folder = mkdtempSync(join(tmpdir(), 'rookery-dev-'));
  for (const name of ['apps', 'libs', 'scripts', 'package.json', 'package-lock.json'])
    cpSync(join(root, name), join(folder, name), { recursive: true, preserveTimestamps: true });
  for (const name of ['tsconfig.json', 'tsconfig.build.json']) cpSync(join(root, name), join(folder, name));
  linkModules(root, folder);
  terminals = new Terminals(folder, { ...process.env, PORT: '0', DATABASE_URL: 'sqlite::memory:' });
  server = terminals.start('npm run start:dev');
  await server.says('Listening on', 120_000);
}, 300_000);
afterAll(async () => {
  await terminals.close();
  rmSync(folder, { recursive: true, force: true });
});

const welcome = 'apps/server/src/first-words.ts';
const original = readFileSync(join(root, welcome), 'utf8');

/** Changes the source from what it is in the repository. */
function change(from: string, to: string): void {
  expect(original).toContain(from);
  writeFileSync(join(folder, welcome), original.replace(from, to));
}

/** Where the server listens that was started last. */
const url = (): string =>
  Array.from(server.stdout.matchAll(/(?:Listening on|Started once more at) (http:[^"\s]+)/g)).at(-1)![1]!;

it('npm run start:dev serves the pages', async () => {
  expect(await (await fetch(url())).text()).toContain('Rookery is running');
  expect(await (await fetch(`${url()}/console`)).text()).toContain('Rookery console');
});

it('npm run start:dev keeps serving while a source has an error', async () => {
  change('export const firstWords', 'export konst firstWords');
  await server.says('first-words.ts');
  await server.says('konst');
  expect((await fetch(`${url()}/health/live`)).status).toBe(200);
});

it('npm run start:dev restarts when a source changes', async () => {
  change('`Listening on', '`Started once more at');
  await server.says('Started once more at');
  expect((await fetch(`${url()}/health/live`)).status).toBe(200);
}, 120_000);
