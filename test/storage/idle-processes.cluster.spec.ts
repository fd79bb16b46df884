import { chmodSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { subscribed, TestCluster } from '../support/cluster.js';
import { describePostgres, startPostgres, type TestPostgres } from '../support/postgres.js';
import { buildServer } from '../support/server-process.js';

vi.setConfig({ testTimeout: 150_000 });

/** What is seldom asked is asked about once meanwhile; a slower machine asks less, not more. */
const measuredSeconds = 20;

describePostgres('processes on PostgreSQL that have nothing to do', () => {
  const log = mkdtempSync(join(tmpdir(), 'rookery-statements-'));
  let postgres: TestPostgres;
  beforeAll(async () => {
    await buildServer();
    // PostgreSQL writes as another user.
    chmodSync(log, 0o777);
    const logging = ['logging_collector=on', `log_directory=${log}`, 'log_filename=log', 'log_file_mode=0644'];
    postgres = await startPostgres(...logging, 'log_statement=all', 'log_line_prefix=%d ');
  }, 180_000);
  afterAll(async () => {
    await postgres.stop();
    rmSync(log, { recursive: true });
  });

  const statements = (url: string): number => {
    const begin = `${url.split('/').at(-1)} LOG:  `;
    const lines = readFileSync(join(log, 'log'), 'utf8').split('\n');
    return lines.filter((line) => line.startsWith(`${begin}statement`) || line.startsWith(`${begin}execute`)).length;
  };

  /** Answers the least that each of so many processes with a client has asked in a second. */
  async function statementsOf(count: number): Promise<number> {
    const url = await postgres.newDatabase();
    const cluster = await TestCluster.start(count, { environment: { DATABASE_URL: url } });
    for (const server of cluster.processes) await subscribed(await cluster.client(server), 'news');
    let least = Infinity;
    // After its start, a process looks more often for what others have left.
    for (let n = 0; least >= 2 && n < 5; n++) {
      const from = statements(url);
      await sleep(measuredSeconds * 1000);
      least = Math.min(least, (statements(url) - from) / measuredSeconds / count);
    }
    await cluster.stop();
    return least;
  }

  it('ask it twice a second at most, alone and together', async () => {
    for (const each of await Promise.all([1, 2].map(statementsOf))) {
      expect(each).toBeGreaterThan(0.5);
      expect(each).toBeLessThan(2);
    }
  });
});
