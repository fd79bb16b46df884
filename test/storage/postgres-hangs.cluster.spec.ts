import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, expect, it, vi } from 'vitest';
import { Unavailable } from 'rookery/push-device';
import { type Database, openDatabase, run } from 'rookery/internal/typeorm';
import { signed } from '../support/channels-api.js';
import { testApp } from '../support/channels-server.js';
import { usePostgres } from '../support/databases.js';
import { describePostgres } from '../support/postgres.js';
import { RoughProxy } from '../support/rough-proxy.js';
import { buildServer, ServerProcess } from '../support/server-process.js';
import { until } from '../support/until.js';

vi.setConfig({ testTimeout: 120_000 });

describePostgres('a PostgreSQL that hangs', () => {
  const { url } = usePostgres();
  const folder = mkdtempSync(join(tmpdir(), 'rookery-hangs-'));
  let proxy: RoughProxy;
  let through: string;
  /** Where new connections go to: nowhere while it hangs. */
  let target: () => Promise<number>;
  const port = (): number => Number(new URL(url()).port);

  const hang = (): void => {
    target = () => new Promise(() => {});
    proxy.swallow();
  };
  const goOn = (): void => {
    target = async () => port();
    // As a router does that has lost its connections.
    proxy.be('cut');
  };

  beforeAll(buildServer, 180_000);
  beforeEach(async () => {
    target = async () => port();
    proxy = await RoughProxy.start(() => target());
    const moved = new URL(url());
    moved.port = String(proxy.port);
    through = String(moved);
  });
  afterEach(() => proxy.stop());
  afterAll(() => rmSync(folder, { recursive: true }));

  const workOn = (database: Database): readonly Promise<unknown>[] => [
    database.read('SELECT 1'),
    database.execute('DELETE FROM rookery_jobs WHERE id = ?', ['none']),
    database.write(() => run('DELETE FROM rookery_jobs WHERE id = ?', ['none'])),
  ];

  it('fails what is under way, waits for a connection or is new, and serves again', async () => {
    const database = await openDatabase(through, 2);
    await Promise.all(workOn(database));
    hang();
    const before = performance.now();
    const outcomes = await Promise.allSettled([...workOn(database), ...workOn(database), ...workOn(database)]);
    for (const outcome of outcomes) expect(outcome).toMatchObject({ reason: expect.any(Unavailable) });
    expect(performance.now() - before, 'far below the 10 s of the pool').toBeLessThan(8000);
    for (const work of workOn(database)) await expect(work).rejects.toThrow('it has not answered for 2 s');
    goOn();
    await until(() => Promise.all(workOn(database)).then(Boolean, () => false), 'it serves again');
    await Promise.all([1, 2, 3, 4].flatMap(() => workOn(database)));
    await database.close();
  });

  it('is 503 with Retry-After for triggers with history, and at once as soon as readiness knows', async () => {
    const config = join(folder, 'rookery.json');
    writeFileSync(config, JSON.stringify({ apps: [{ ...testApp, history: [{ channels: 'orders-*' }] }] }));
    const server = await ServerProcess.start({ CONFIG_FILE: config, DATABASE_URL: through });
    const trigger = (): Promise<Response> => {
      const event = { name: 'paid', channel: 'orders-1', data: '{}' };
      const { method, url: path, body } = signed('POST', '/events', event);
      const headers = { 'content-type': 'application/json' };
      return fetch(server.url + path, { method, headers, body: body as string });
    };
    const readiness = async (): Promise<number> => (await fetch(`${server.url}/health/ready`)).status;
    try {
      expect([(await trigger()).status, await readiness()]).toEqual([200, 200]);
      hang();
      const [hung] = await Promise.all([trigger(), until(async () => (await readiness()) === 503, 'it is not ready')]);
      expect([hung.status, hung.headers.get('retry-after')]).toEqual([503, '1']);
      const refused = await Promise.race([
        Promise.all([1, 2, 3].map(trigger)),
        new Promise<never>((_, reject) => setTimeout(() => reject(new Error('it waits for the database')), 5000)),
      ]);
      expect(refused.map(({ status }) => status)).toEqual([503, 503, 503]);
      goOn();
      await until(async () => (await trigger()).status === 200, 'it serves again');
      await until(async () => (await readiness()) === 200, 'it is ready again');
      expect(server.output).not.toMatch(/Internal server error|TypeError/);
    } finally {
      await server.kill();
    }
  });
});
