import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { PresenceChannel } from 'pusher-js';
import { afterEach, beforeAll, expect, it, vi } from 'vitest';
import { subscribed, TestCluster } from '../support/cluster.js';
import { freePort } from '../support/free-port.js';
import { answers, isPostgresInstalled } from '../support/postgres-server.js';
import { describePostgres, newPostgresDatabase } from '../support/postgres.js';
import { describeInstalled, pathOf } from '../support/programs.js';
import { buildServer } from '../support/server-process.js';
import { until } from '../support/until.js';

vi.setConfig({ testTimeout: 60_000 });

// It needs both.
const describePooled = isPostgresInstalled() ? describeInstalled('pgbouncer') : describePostgres;

describePooled('two servers behind PgBouncer', () => {
  const ending: (() => unknown)[] = [];
  beforeAll(() => buildServer(), 180_000);
  afterEach(async () => {
    for (const end of ending.splice(0).toReversed()) await end();
  });

  /** Answers the URLs of a new database: PostgreSQL's, and PgBouncer's before it. */
  async function pooled(mode: 'session' | 'transaction') {
    const direct = await newPostgresDatabase();
    const folder = mkdtempSync(join(tmpdir(), 'rookery-pgbouncer-'));
    // PgBouncer runs as another user.
    chmodSync(folder, 0o755);
    const port = await freePort();
    const settings = [
      '[databases]',
      `* = host=127.0.0.1 port=${new URL(direct).port} user=rookery`,
      '[pgbouncer]',
      `listen_addr = 127.0.0.1`,
      `listen_port = ${port}`,
      'unix_socket_dir =',
      'auth_type = any',
      `pool_mode = ${mode}`,
      'default_pool_size = 50',
    ];
    writeFileSync(join(folder, 'pgbouncer.ini'), `${settings.join('\n')}\n`);
    const asUser = process.getuid?.() === 0 ? ['-u', 'postgres'] : [];
    const args = ['-q', ...asUser, join(folder, 'pgbouncer.ini')];
    const child: ChildProcess = spawn(pathOf('pgbouncer')!, args, { stdio: 'ignore' });
    ending.push(async () => {
      const ended = once(child, 'exit');
      child.kill('SIGKILL');
      await ended;
      rmSync(folder, { recursive: true });
    });
    const url = new URL(direct);
    url.port = String(port);
    await until(() => answers(url.href), 'PgBouncer answers');
    return { direct, url: url.href };
  }

  it.each(['session', 'transaction'] as const)('are a cluster, in %s mode', async (mode) => {
    const { direct, url } = await pooled(mode);
    const listening: Record<string, string> = mode === 'transaction' ? { DATABASE_LISTEN_URL: direct } : {};
    const cluster = await TestCluster.start(2, { environment: { DATABASE_URL: url, ...listening } });
    ending.push(() => cluster.stop());
    const rooms: PresenceChannel[] = [];
    const heard: unknown[] = [];
    for (const [n, server] of cluster.processes.entries()) {
      const client = await cluster.client(server, { user_id: `user-${n}` });
      const room = await subscribed(client, 'presence-room');
      room.bind('said', (data: unknown) => heard.push(data));
      rooms.push(room as PresenceChannel);
    }
    await until(() => rooms.every(({ members }) => members.count === 2), 'both see both');
    await cluster.server(cluster.processes[0]!).trigger('presence-room', 'said', 'hello');
    await until(() => heard.length === 2, 'both hear the event');
    expect(heard).toEqual(['hello', 'hello']);
  });

  it('do not start in transaction mode without the URL of PostgreSQL itself', async () => {
    const { url } = await pooled('transaction');
    const cluster = new TestCluster({ environment: { DATABASE_URL: url } });
    ending.push(() => cluster.stop());
    expect(await cluster.launch().exit()).toBe(1);
    expect(cluster.output).toMatch(/rookery: DATABASE_URL: .*pooler in transaction mode.*DATABASE_LISTEN_URL/);
  });
});
