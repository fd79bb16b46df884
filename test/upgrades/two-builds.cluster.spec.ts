import { cpSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { describeRedis, TestRedis } from '../support/redis.js';
import { buildServer, ServerProcess } from '../support/server-process.js';
import { testApp } from '../support/channels-server.js';
import { until } from '../support/until.js';

const dist = fileURLToPath(new URL('../../dist', import.meta.url));

describeRedis('two builds of one version under one Redis prefix', () => {
  const folder = mkdtempSync(join(tmpdir(), 'rookery-builds-'));
  const running: ServerProcess[] = [];
  let redis: TestRedis;
  beforeAll(async () => {
    await buildServer();
    redis = await TestRedis.start();
  });
  afterAll(async () => {
    await Promise.all(running.map((server) => server.kill()));
    await redis.stop();
    rmSync(folder, { recursive: true });
  });

  /** The server as a build of another commit. */
  async function startedAt(commit: string): Promise<ServerProcess> {
    const build = join(folder, commit);
    cpSync(join(dist, 'rookery'), join(build, 'dist/rookery'), { recursive: true });
    writeFileSync(join(build, 'dist/rookery/version.js'), `exports.version = "0.1.0+g${commit}";\n`);
    symlinkSync(join(dist, 'console'), join(build, 'dist/console'));
    symlinkSync(join(dist, '../node_modules'), join(build, 'node_modules'));
    const server = ServerProcess.launch(
      {
        PUSHER_APP_ID: testApp.id,
        PUSHER_APP_KEY: testApp.key,
        PUSHER_APP_SECRET: testApp.secret,
        DATABASE_URL: `sqlite:${join(build, 'rookery.db')}`,
        REDIS_URL: redis.url,
      },
      join(build, 'dist/rookery/rookery.js'),
    );
    running.push(server);
    await server.listens();
    return server;
  }

  it('warn of each other, and say in their metrics which they are', async () => {
    const one = await startedAt('29fcac69');
    const other = await startedAt('4efd1068');
    const warning = /runs version 0\.1\.0\+g29fcac69, this process runs 0\.1\.0\+g4efd1068/;
    await until(() => warning.test(other.output), 'the newcomer warns');
    for (const [server, commit] of [
      [one, '29fcac69'],
      [other, '4efd1068'],
    ] as const)
      expect(await (await fetch(`${server.url}/metrics`)).text()).toContain(
        `rookery_build_info{version="0.1.0+g${commit}"} 1`,
      );
  });
});
