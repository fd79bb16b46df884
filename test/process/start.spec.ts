import { mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { buildServer, ServerProcess } from '../support/server-process.js';
import { until } from '../support/until.js';

// What a server loads is most of the time it takes to start: it listens within a second on one core (docs/performance.md).
const preloaded = pathToFileURL('test/support/loaded-modules.mjs').href;

let folder: string;
let server: ServerProcess;
beforeAll(buildServer, 180_000);
beforeEach(() => (folder = mkdtempSync(join(tmpdir(), 'rookery-start-'))));
afterEach(async () => {
  await server.stop();
  rmSync(folder, { recursive: true });
});

async function start(environment: Readonly<Record<string, string>> = {}): Promise<void> {
  server = await ServerProcess.start({
    ...environment,
    DATABASE_URL: `sqlite:${join(folder, 'rookery.db')}`,
    LOADED_MODULES: join(folder, 'modules.json'),
    NODE_OPTIONS: `--import ${preloaded}`,
  });
}

/** The files of all modules that the server has loaded so far. */
async function loaded(): Promise<readonly string[]> {
  const file = join(folder, 'modules.json');
  rmSync(file, { force: true });
  server.signal('SIGWINCH');
  await until(() => statSync(file, { throwIfNoEntry: false }) !== undefined, 'the server names its modules');
  return JSON.parse(readFileSync(file, 'utf8')) as string[];
}

const packagesOf = (files: readonly string[]): ReadonlySet<string | undefined> =>
  new Set(files.map((file) => /.*node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(file)?.[1]));

describe('a server that starts', () => {
  it('loads what it needs, and few modules', async () => {
    await start();
    const files = (await loaded()).filter((file) => file.includes('node_modules'));
    expect([...packagesOf(files)]).toEqual(expect.arrayContaining(['@nestjs/core', 'typeorm', 'better-sqlite3']));
    // 1,090 when this was written, and 1,530 before. Whoever adds a package that is worth its time raises the number, and
    // measures the start.
    expect(files.length).toBeLessThan(1150);
  });

  it('does not load what is for requests to others, for schemas or for another database', async () => {
    await start();
    const packages = packagesOf(await loaded());
    for (const late of ['undici', 'jose', 'ajv', '@opentelemetry/api', 'pg', 'class-validator', 'class-transformer'])
      expect(packages).not.toContain(late);
  });

  it('takes only what it uses of packages that have more', async () => {
    await start();
    const files = await loaded();
    const indexes = files.filter((file) =>
      /node_modules\/(typeorm|prom-client|@nestjs\/platform-fastify)\/index\.m?js$/.test(file),
    );
    expect(indexes).toEqual([]);
  });

  it('loads what pushes need as soon as it listens, when there is an instance', async () => {
    await start({ BEAMS_INSTANCE_ID: 'a0d1b2c3-0000-4000-8000-000000000001', BEAMS_SECRET_KEY: 'secret' });
    await until(async () => packagesOf(await loaded()).has('jose'), 'jose is loaded');
    expect(packagesOf(await loaded())).toContain('undici');
  });
});
