import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { buildServer } from '../support/server-process.js';

const root = resolve(import.meta.dirname, '../..');
const folder = mkdtempSync(join(tmpdir(), 'rookery-start-'));
const taken = createServer();

beforeAll(async () => {
  await buildServer();
  taken.listen(0, '127.0.0.1');
  await once(taken, 'listening');
}, 180_000);
afterAll(() => {
  taken.close();
  rmSync(folder, { recursive: true });
});

/** How the server ends, and what it says at last. */
async function failure(environment: Readonly<Record<string, string>>) {
  const env = { PATH: process.env['PATH'], DATABASE_URL: `sqlite:${join(folder, 'rookery.db')}`, ...environment };
  const child = spawn(process.execPath, ['dist/apps/server/src/main.js'], { cwd: root, env });
  child.stdout.resume();
  const [said, [code]] = await Promise.all([text(child.stderr), once(child, 'exit') as Promise<[number | null]>]);
  return { code, last: said.trim().split('\n').at(-1) };
}

it.each([
  [
    'a port that is in use',
    () => ({ PORT: String((taken.address() as AddressInfo).port) }),
    /^rookery: HOST, PORT: listen EADDRINUSE/,
  ],
  ['a host that is not here', () => ({ PORT: '0', HOST: '192.0.2.1' }), /^rookery: HOST, PORT: listen EADDRNOTAVAIL/],
  ['a port that is none', () => ({ PORT: 'x' }), /^rookery: PORT must be a number/],
])('ends the server at once with 1, and one line that names the setting: %s', async (_, environment, line) => {
  expect(await failure(environment())).toEqual({ code: 1, last: expect.stringMatching(line) as string });
});
