import { Logger } from '@nestjs/common';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { readConfig } from '../../apps/server/src/config/config.js';
import { createServer } from '../../apps/server/src/server.js';

// failed-start.process.spec.ts tells how the process ends.

const folder = mkdtempSync(join(tmpdir(), 'rookery-start-'));
beforeAll(() => Logger.overrideLogger(false));
afterAll(() => rmSync(folder, { recursive: true }));

function written(name: string, content: string): string {
  const path = join(folder, name);
  writeFileSync(path, content);
  return path;
}

async function start(environment: Readonly<Record<string, string>>): Promise<void> {
  const config = readConfig({ DATABASE_URL: `sqlite:${join(folder, 'rookery.db')}`, ...environment });
  const server = await createServer(config);
  await server.init();
}

it.each<[string, () => Readonly<Record<string, string>>, RegExp]>([
  ['a database of another kind', () => ({ DATABASE_URL: 'mysql://h/d' }), /^DATABASE_URL must be 'sqlite:/],
  [
    'a database at a name with several addresses',
    () => ({ DATABASE_URL: 'postgres://localhost:1/d' }),
    /^DATABASE_URL: connect ECONNREFUSED /,
  ],
  [
    'sentinels that are not there',
    () => ({ REDIS_URL: 'redis+sentinel://user:hidden@127.0.0.1:1/name' }),
    /^REDIS_URL: No sentinel can be reached: 127\.0\.0\.1:1: connect ECONNREFUSED 127\.0\.0\.1:1$/,
  ],
  [
    'a certificate authority of Redis that is not there',
    () => ({ REDIS_URL: 'rediss://127.0.0.1:1', REDIS_TLS_CA_FILE: '/nowhere/ca.pem' }),
    /^REDIS_URL: tlsCaFile: ENOENT.*\/nowhere\/ca\.pem/,
  ],
  [
    'a file that is no database',
    () => ({ DATABASE_URL: `sqlite:${written('text.db', 'no database')}` }),
    /^DATABASE_URL: file is not a database \(sqlite:.*text\.db\)$/,
  ],
  [
    'a database below what is no folder',
    () => ({ DATABASE_URL: `sqlite:${written('no-folder', '')}/rookery.db` }),
    /^DATABASE_URL: E\w+: .*no-folder/,
  ],
])('the setting is named in one line: %s', async (_, environment, line) => {
  const failure: unknown = await start(environment()).catch((error: unknown) => error);
  expect(failure).toBeInstanceOf(Error);
  expect((failure as Error).message).toMatch(line);
});
