import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { Logger } from '@nestjs/common';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll } from 'vitest';
import { readConfig } from '../../apps/server/src/config/config.js';
import { createServer } from '../../apps/server/src/server.js';

/** The server in this process, on an empty database, for the tests of a file. Only inside hooks and tests. */
export function useServer(environment: Readonly<Record<string, string>> = {}): () => NestFastifyApplication {
  const folder = mkdtempSync(join(tmpdir(), 'rookery-server-'));
  let server: NestFastifyApplication;
  beforeAll(async () => {
    server = await createServer(readConfig({ ...environment, DATABASE_URL: `sqlite:${join(folder, 'rookery.db')}` }));
    Logger.overrideLogger(false);
    await server.listen(0, '127.0.0.1');
  });
  afterAll(async () => {
    await server.close();
    rmSync(folder, { recursive: true });
  });
  return () => server;
}
