import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { buildServer } from '../support/server-process.js';
import { Terminals } from '../support/terminal.js';

const root = join(import.meta.dirname, '../..');

/** A copy of the sources, which a test may change. */
let folder: string;
let terminals: Terminals;

beforeEach(async () => {
  await buildServer();
  folder = mkdtempSync(join(tmpdir(), 'rookery-dev-'));
  for (const name of ['apps', 'libs', 'scripts', 'package.json', 'package-lock.json'])
    cpSync(join(root, name), join(folder, name), { recursive: true, preserveTimestamps: true });
  for (const name of ['tsconfig.json', 'tsconfig.build.json']) cpSync(join(root, name), join(folder, name));
  symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'));
  terminals = new Terminals(folder, { ...process.env, PORT: '0', DATABASE_URL: 'sqlite::memory:' });
}, 180_000);
afterEach(async () => {
  await terminals.close();
  rmSync(folder, { recursive: true, force: true });
});

function change(path: string, from: string, to: string): void {
  const text = readFileSync(join(folder, path), 'utf8');
  expect(text).toContain(from);
  writeFileSync(join(folder, path), text.replace(from, to));
}

const welcome = 'apps/server/src/first-words.ts';

it('npm run start:dev serves with its pages, and starts again when a source changes', async () => {
  const server = terminals.start('npm run start:dev');
  await server.says('Listening on', 120_000);
  const url = /Listening on (http:[^"\s]+)/.exec(server.stdout)![1]!;
  expect(await (await fetch(url)).text()).toContain('Rookery is running');
  expect(await (await fetch(`${url}/console`)).text()).toContain('Rookery console');
  change(welcome, '`Listening on', '`Started once more at');
  await server.says('Started once more at');
}, 240_000);

it('npm run start:dev goes on with what worked while a source cannot be read', async () => {
  const server = terminals.start('npm run start:dev');
  await server.says('Listening on', 120_000);
  const url = /Listening on (http:[^"\s]+)/.exec(server.stdout)![1]!;
  change(welcome, 'export const firstWords', 'export konst firstWords');
  await server.says('first-words.ts');
  await server.says('konst');
  expect((await fetch(`${url}/health/live`)).status).toBe(200);
  change(welcome, 'export konst firstWords', 'export const firstWords');
  change(welcome, '`Listening on', '`Started once more at');
  await server.says('Started once more at');
}, 240_000);
