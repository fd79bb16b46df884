import type PusherJs from 'pusher-js';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { TypeOrmDeviceRepository } from 'rookery/typeorm';
import { overSocket, signed } from '../support/channels-api.js';
import { TestCluster } from '../support/cluster.js';
import { type TestDatabase, usePostgres, useSqlite } from '../support/databases.js';
import { describePostgres } from '../support/postgres.js';
import { instance } from '../support/push-app.js';
import { describeRedis, TestRedis } from '../support/redis.js';
import { buildServer, type ServerProcess } from '../support/server-process.js';
import { type StandInFcm, standInFcm } from '../support/stand-ins/index.js';
import { until } from '../support/until.js';

vi.setConfig({ testTimeout: 60_000 });

const app = { id: 'app', key: 'app-key', secret: 'app-secret' };

beforeAll(buildServer, 180_000);

/** What holds in every cluster whose processes share a database. */
function tellsOnce(database: TestDatabase, start: (file: object) => Promise<TestCluster>): void {
  let google: StandInFcm;
  let cluster: TestCluster;
  beforeAll(async () => {
    google = await standInFcm();
    cluster = await start({
      instances: [{ ...instance, fcm: google.credentials }],
      notifications: [{ app: app.id, instance: instance.id, pushAfterSeconds: 1 }],
    });
    const devices = new TypeOrmDeviceRepository(database.database());
    for (const user of ['ann', 'bob', 'eve']) {
      const registered = await devices.register(
        instance.id,
        { platform: 'fcm', token: user, metadata: {} },
        Date.now(),
      );
      await devices.setUser(instance.id, 'fcm', registered.id, user);
    }
  }, 120_000);
  afterEach(() => cluster?.disconnect());
  afterAll(async () => {
    await cluster?.stop();
    await google.close();
  });

  const call = async (server: ServerProcess, method: 'GET' | 'POST', path: string, body?: unknown): Promise<any> => {
    const { status, text } = await overSocket(server, signed(method, path, body, { app }));
    expect(status).toBe(200);
    return JSON.parse(text) as unknown;
  };
  const notify = async (server: ServerProcess, userId: string, more: object = {}): Promise<string> => {
    const body = { userId, event: { name: 'message', data: {} }, push: { fcm: { data: {} } }, ...more };
    return (await call(server, 'POST', '/notifications', body)).id as string;
  };
  const signedIn = async (server: ServerProcess, user_id: string): Promise<PusherJs> => {
    const client = await cluster.client(server, { user_id });
    client.signin();
    await client.user.signinDonePromise;
    return client;
  };
  const pushesTo = (user: string) => google.received.filter(({ token }) => token === user).length;

  it("shows it on the page's process, with stock pusher-js, and pushes it to no device", async () => {
    const [first, last] = [cluster.processes[0]!, cluster.processes.at(-1)!];
    const heard = new Set<PusherJs>();
    for (const server of [first, last, last]) {
      const client = await signedIn(server, 'ann');
      client.user.bind('message', () => heard.add(client));
    }
    // A user's channel is subscribed a moment after the user has signed in.
    await until(
      async () => {
        await notify(last, 'ann', { push: undefined });
        return heard.size === 3;
      },
      'all pages hear of it',
      30_000,
    );
    const patient = { pushAfterSeconds: 30 };
    for (const id of [await notify(first, 'ann', patient), await notify(last, 'ann', patient)])
      await until(
        async () => (await call(first, 'GET', `/notifications/${id}`)).state === 'shown',
        'it is shown',
        20_000,
      );
    const away = await notify(first, 'bob');
    await until(() => pushesTo('bob') === 1, 'another is pushed meanwhile');
    expect((await call(last, 'GET', `/notifications/${away}`)).state).toBe('pushed');
    expect(pushesTo('ann')).toBe(0);
  });

  it('is pushed by another process if the one that accepted it dies', async () => {
    const dying = cluster.processes.length > 1 ? cluster.processes.at(-1)! : undefined;
    await notify(dying ?? cluster.processes[0]!, 'eve');
    if (dying) await dying.kill();
    else process.kill(cluster.processes[0]!.children[0]!, 'SIGKILL');
    await until(() => pushesTo('eve') === 1, 'it is pushed');
  });
}

describePostgres('Notifications over PostgreSQL', () => {
  describeRedis('and Redis', () => {
    const database = usePostgres();
    let redis: TestRedis;
    afterAll(() => redis?.stop());
    tellsOnce(database, async (file) => {
      redis = await TestRedis.start();
      return TestCluster.start(2, { redisUrl: redis.url, file, environment: { DATABASE_URL: database.url() } });
    });
  });
});

describe('Notifications over the workers of one machine', () => {
  const database = useSqlite();
  tellsOnce(database, (file) =>
    TestCluster.start(1, { file, environment: { DATABASE_URL: database.url(), WORKERS: '2' } }),
  );
});
