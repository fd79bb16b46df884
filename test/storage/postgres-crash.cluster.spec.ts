import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { PresenceChannel } from 'pusher-js';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { subscribed, TestCluster } from '../support/cluster.js';
import { describePostgres, makePostgresFolder, startPostgresIn, type TestPostgres } from '../support/postgres.js';
import { RoughProxy } from '../support/rough-proxy.js';
import { buildServer, type ServerProcess } from '../support/server-process.js';
import { until } from '../support/until.js';

vi.setConfig({ testTimeout: 180_000 });

const patienceMs = 60_000;

describePostgres('two processes whose PostgreSQL crashes, which empties unlogged tables', () => {
  const folder = mkdtempSync(join(tmpdir(), 'rookery-crash-'));
  let postgres: TestPostgres;
  let proxy: RoughProxy;
  let cluster: TestCluster;
  beforeAll(async () => {
    await buildServer();
    makePostgresFolder(join(folder, 'data'));
    await startDatabase();
    proxy = await RoughProxy.start(() => Number(new URL(postgres.url).port));
    const environment = { DATABASE_URL: `postgres://rookery@127.0.0.1:${proxy.port}/postgres` };
    cluster = await TestCluster.start(2, { environment });
  }, 180_000);
  afterAll(async () => {
    await cluster.stop();
    proxy.stop();
    await postgres.stop();
    rmSync(folder, { recursive: true, force: true });
  });

  const startDatabase = async (): Promise<void> => {
    postgres = await startPostgresIn(join(folder, 'data'), {}, 'fsync=off');
  };
  const isAccepted = async (value: number): Promise<boolean> =>
    cluster
      .server(cluster.processes[0]!)
      .trigger('news', 'number', value)
      .then(
        () => true,
        () => false,
      );
  const users = async (server: ServerProcess): Promise<number> =>
    ((await cluster.get(server, '/channels/presence-room/users')) as { users: unknown[] }).users.length;

  it('keep their clients, and have all members again without announcing any as gone', async () => {
    const gone: unknown[] = [];
    const numbers: number[] = [];
    const rooms: PresenceChannel[] = [];
    for (const [n, server] of cluster.processes.entries()) {
      const client = await cluster.client(server, { user_id: `user-${n}` });
      const room = await subscribed(client, 'presence-room');
      room.bind('pusher:member_removed', (member: unknown) => gone.push(member));
      rooms.push(room as PresenceChannel);
      if (n === 1) (await subscribed(client, 'news')).bind('number', (value: number) => numbers.push(value));
    }
    await until(() => rooms.every(({ members }) => members.count === 2), 'both see both');

    await postgres.stop();
    await until(async () => !(await isAccepted(0)), 'a trigger is refused');
    await startDatabase();
    await until(() => isAccepted(1), 'a trigger is accepted', patienceMs);
    await until(() => numbers.includes(1), 'it arrives at the other process', patienceMs);
    for (const server of cluster.processes)
      await until(async () => (await users(server)) === 2, 'both have all members', patienceMs);
    await subscribed(await cluster.client(cluster.processes[0]!, { user_id: 'later' }), 'presence-room');
    await until(() => rooms.every(({ members }) => members.count === 3), 'both see who comes later', patienceMs);
    expect(gone).toEqual([]);
    expect(cluster.output).toContain('PostgreSQL has lost its data');
  });
});
