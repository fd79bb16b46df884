import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { afterAll, afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { Unavailable } from 'rookery/push-device';
import { type Database, migrate, openDatabase, run } from 'rookery/internal/typeorm';
import { signed } from '../support/channels-api.js';
import { testApp } from '../support/channels-server.js';
import { buildServer, ServerProcess } from '../support/server-process.js';
import { until } from '../support/until.js';

vi.setConfig({ testTimeout: 120_000 });

describe('a SQLite file that another process holds', () => {
  const all = mkdtempSync(join(tmpdir(), 'rookery-held-'));
  let [url, files] = ['', 0];
  /** The other process's connection. */
  let other: Database;
  let isHeld = false;
  beforeEach(async () => {
    url = `sqlite:${join(all, `rookery-${files++}.db`)}`;
    other = await openDatabase(url);
    await migrate(other.dataSource);
  });
  afterEach(async () => {
    if (isHeld) await release();
    await other.close();
  });
  afterAll(() => rmSync(all, { recursive: true }));

  const hold = async (): Promise<void> => {
    await until(
      () =>
        other.dataSource.query('BEGIN EXCLUSIVE').then(
          () => true,
          () => false,
        ),
      'it is held',
    );
    isHeld = true;
  };
  const release = async (): Promise<void> => {
    isHeld = false;
    await other.dataSource.query('COMMIT');
  };

  it('fails writes within seconds, refuses new ones at once, blocks no other work, and is written again', async () => {
    const database = await openDatabase(url);
    const write = (): Promise<unknown> => database.write(() => run('DELETE FROM rookery_jobs WHERE id = ?', ['none']));
    await write();
    await hold();
    const began = performance.now();
    const outcomes = await Promise.allSettled([write(), write(), database.execute('DELETE FROM rookery_jobs')]);
    for (const outcome of outcomes) expect(outcome).toMatchObject({ reason: expect.any(Unavailable) });
    expect(performance.now() - began, 'far below 30 s').toBeLessThan(8000);
    const delays = monitorEventLoopDelay({ resolution: 1 });
    delays.enable();
    for (let i = 0; i < 20; i++) await expect(write()).rejects.toThrow('it has not answered for 2 s');
    expect(delays.max / 1e6, 'SQLite itself would wait for 500 ms').toBeLessThan(400);
    await release();
    await until(
      () =>
        write().then(
          () => true,
          () => false,
        ),
      'it is written again',
    );
    await Promise.all([write(), write(), write()]);
    await database.close();
  });

  it('is waited for as long as the other process commits', async () => {
    const database = await openDatabase(url);
    const change = "INSERT INTO rookery_setting_changes (kind, id, version) VALUES ('app', 'x', 1)";
    const writeBesideCommits = async (): Promise<boolean> => {
      await hold();
      let hasWritten = false;
      const writing = database.execute('DELETE FROM rookery_jobs').then(() => (hasWritten = true));
      for (const end = performance.now() + 4000; performance.now() < end;) {
        await other.dataSource.query(change.replace("'x'", `'${crypto.randomUUID()}'`));
        await new Promise((resolve) => setTimeout(resolve, 300));
        await other.dataSource.query('COMMIT');
        await hold();
      }
      const hasWaited = !hasWritten;
      await release();
      await writing;
      return hasWaited;
    };
    // Now and then it gets in between two transactions of the other process.
    await until(writeBesideCommits, 'it has waited for all of them', 60_000);
    await database.close();
  });

  it('is waited for by a server that starts', async () => {
    await buildServer();
    await hold();
    const server = ServerProcess.launch({ PORT: '0', DATABASE_URL: url });
    try {
      await until(() => server.output.includes('Database: SqliteDatabase'), 'it has opened the file');
      await new Promise((resolve) => setTimeout(resolve, 4000));
      await release();
      await server.listens();
    } finally {
      await server.kill();
    }
  });

  it('is 503 with Retry-After for triggers with history, and at once as soon as readiness knows', async () => {
    await buildServer();
    const config = join(all, 'rookery.json');
    writeFileSync(config, JSON.stringify({ apps: [{ ...testApp, history: [{ channels: 'orders-*' }] }] }));
    const server = await ServerProcess.start({ CONFIG_FILE: config, DATABASE_URL: url });
    const trigger = (channel = 'orders-1'): Promise<Response> => {
      const { method, url: path, body } = signed('POST', '/events', { name: 'paid', channel, data: '{}' });
      const headers = { 'content-type': 'application/json' };
      return fetch(server.url + path, { method, headers, body: body as string });
    };
    const readiness = async (): Promise<number> => (await fetch(`${server.url}/health/ready`)).status;
    try {
      expect([(await trigger()).status, await readiness()]).toEqual([200, 200]);
      await hold();
      const [hung] = await Promise.all([trigger(), until(async () => (await readiness()) === 503, 'it is not ready')]);
      expect([hung.status, hung.headers.get('retry-after')]).toEqual([503, '1']);
      const began = performance.now();
      const refused = await Promise.all([trigger(), trigger(), trigger('news')]);
      expect(refused.map(({ status }) => status)).toEqual([503, 503, 200]);
      expect(performance.now() - began, 'at once').toBeLessThan(2000);
      await release();
      await until(async () => (await trigger()).status === 200, 'it serves again');
      await until(async () => (await readiness()) === 200, 'it is ready again');
      expect(server.output).not.toMatch(/Internal server error|TypeError/);
    } finally {
      await server.kill();
    }
  });
});
