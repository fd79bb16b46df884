import Pusher from 'pusher';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import type { KeyUses } from '../../libs/console/src/contract/index.js';
import { TestCluster } from '../support/cluster.js';
import { rookery } from '../support/command-line.js';
import { usePostgres } from '../support/databases.js';
import { describePostgres } from '../support/postgres.js';
import { describeRedis, TestRedis } from '../support/redis.js';
import { buildServer, type ServerProcess } from '../support/server-process.js';
import { SocketClient } from '../support/socket-client.js';
import { until } from '../support/until.js';

vi.setConfig({ testTimeout: 120_000 });

const password = 'only for this test';

interface Made {
  readonly id: string;
  readonly key: string;
  readonly secret: string;
}

describeRedis('with Redis', () => {
  describePostgres('and PostgreSQL, apps and instances that a command changes', () => {
    const database = usePostgres();
    let redis: TestRedis;
    let cluster: TestCluster;
    let here: ServerProcess;
    let there: ServerProcess;

    beforeAll(async () => {
      await buildServer();
      redis = await TestRedis.start();
      const environment = { DATABASE_URL: database.url(), CONSOLE_PASSWORD: password };
      cluster = await TestCluster.start(0, { redisUrl: redis.url, environment });
      here = await cluster.add({ WORKERS: '2' });
      there = await cluster.add();
    }, 240_000);
    afterAll(async () => {
      await cluster?.stop();
      await redis?.stop();
    });

    /** The command, against one of the servers. */
    const run = (...args: readonly string[]) =>
      rookery([...args, '--url', here.url], { CONSOLE_PASSWORD: password, DATABASE_URL: database.url() });
    const made = async (...args: readonly string[]): Promise<Made> => JSON.parse((await run(...args)).stdout) as Made;

    /** One on each process, workers by turns. */
    const clients = (app: Made): Promise<SocketClient[]> =>
      Promise.all([here, here, here, here, there].map(({ port }) => SocketClient.connect(port, app)));

    async function statusOf({ id, key, secret }: Made, { port }: ServerProcess): Promise<number> {
      const pusher = new Pusher({ appId: id, key, secret, host: '127.0.0.1', port: String(port), useTLS: false });
      return (await pusher.get({ path: '/channels' }).catch((error: { status: number }) => error)).status;
    }

    /** Until every process answers so, asked often enough that each worker has its turn. */
    const untilAll = (app: Made, status: number) =>
      until(async () => {
        const answers = await Promise.all([here, here, here, here, there].map((server) => statusOf(app, server)));
        return answers.every((answer) => answer === status);
      }, `all answer ${status}`);

    const usesOfKeys = async (app: string): Promise<KeyUses> => {
      const headers = { authorization: `Bearer ${password}` };
      return (await fetch(`${here.url}/console/api/apps/${app}/keys`, { headers })).json() as Promise<KeyUses>;
    };

    const publish = async ({ url }: ServerProcess, id: string, secretKey: string): Promise<number> => {
      const answer = await fetch(`${url}/publish_api/v1/instances/${id}/publishes/interests`, {
        method: 'POST',
        headers: { authorization: `Bearer ${secretKey}`, 'content-type': 'application/json' },
        body: JSON.stringify({ interests: ['a'], web: { notification: { title: 'a' } } }),
      });
      return answer.status;
    };

    it('are served by every process, with open connections, until they are disabled and removed', async () => {
      const app = await made('apps', 'create', 'shop');
      await untilAll(app, 200);
      const all = await clients(app);
      for (const each of all) await each.subscribe('private-room');
      await until(
        async () => (await usesOfKeys(app.id)).keys[app.key]?.connections === all.length,
        'all processes count the connections of the key',
      );

      expect((await run('apps', 'edit', 'shop', '--set', 'clientEvents=true')).stdout).toBe(
        'Changed app shop: clientEvents\n',
      );
      const [last] = all.slice(-1);
      await until(async () => {
        last!.send({ event: 'client-hi', channel: 'private-room', data: {} });
        return (await last!.settled('pusher:error')).length === 0 || last!.frames.splice(0).length === 0;
      }, 'the other server lets it send events');
      for (const each of all.slice(0, -1)) await each.next('client-hi');

      const fresh = await made('apps', 'rotate', 'shop');
      await untilAll({ ...app, ...fresh }, 200);
      await untilAll(app, 200);
      expect(await usesOfKeys(app.id)).toEqual({
        since: expect.any(Number) as number,
        missing: 0,
        keys: {
          [app.key]: { connections: all.length, usedAt: expect.any(Number) as number },
          [fresh.key]: { connections: 0, usedAt: expect.any(Number) as number },
        },
      });
      await run('apps', 'remove-key', 'shop', app.key, '--yes');
      await untilAll(app, 401);

      await run('apps', 'disable', 'shop');
      for (const each of all) expect(await each.closing()).toMatchObject({ code: 4003 });
      await untilAll({ ...app, ...fresh }, 403);
      await run('apps', 'enable', 'shop');
      await untilAll({ ...app, ...fresh }, 200);
      const [late] = await clients({ ...app, ...fresh });
      expect((await run('apps', 'remove', 'shop', '--yes')).stdout).toBe('Removed app shop\n');
      expect(await late!.closing()).toMatchObject({ code: 4001 });
      await untilAll({ ...app, ...fresh }, 401);
    });

    it('are push instances as well', async () => {
      const { id, secretKey } = JSON.parse((await run('instances', 'create')).stdout) as Record<string, string>;
      const all = async () =>
        (await Promise.all([here, here, here, there].map((server) => publish(server, id!, secretKey!)))).join();
      await until(async () => (await all()) === '200,200,200,200', 'all serve it');
      await run('instances', 'disable', id!);
      await until(async () => (await all()) === '403,403,403,403', 'none serves it');
      await run('instances', 'remove', id!, '--yes');
      await until(async () => (await all()) === '404,404,404,404', 'none knows it');
    });

    it('are listed with their origin', async () => {
      await run(
        'apps',
        'create',
        'listed',
        '--set',
        'key=listed-key',
        '--set',
        'name=Shop',
        '--set',
        'maxConnections=7',
      );
      expect((await run('apps', 'list')).stdout).toBe(
        'app      name   keys         enabled   from\napp             app-key      yes       configuration\n' +
          'listed   Shop   listed-key   yes       database\n',
      );
      const listed = JSON.parse((await run('apps', 'list', '--json')).stdout) as { id: string }[];
      expect(listed.find(({ id }) => id === 'listed')).toMatchObject({ maxConnections: 7 });
      expect(JSON.stringify(listed)).not.toContain('app-secret');
    });

    it.each([
      [['apps', 'edit', 'app', '--set', 'tlsOnly=true'], 1, /answers 409: .*is part of the configuration/],
      [['apps', 'edit', 'unknown', '--set', 'tlsOnly=true'], 1, /answers 404: There is no app "unknown"/],
      [['apps', 'create', '--set', 'clientEvent=true'], 1, /answers 400: clientEvent is not a setting/],
      [['apps', 'create', '--set', 'clientEvents'], 2, /It must be name=value/],
      [['apps', 'edit', 'app'], 2, /Nothing to change/],
      [['apps', 'list', '--password-file', '/nowhere'], 1, /--password-file: ENOENT/],
    ] as const)('report failures in one line: %j', async (args, code, text) => {
      const ended = await run(...args);
      expect(ended).toMatchObject({ code, stdout: '', stderr: expect.stringMatching(text) as string });
    });

    it("require the console's password", async () => {
      const ended = await rookery(['apps', 'list', '--url', there.url], { CONSOLE_PASSWORD: 'another one' });
      expect(ended).toMatchObject({ code: 1, stderr: expect.stringContaining('answers 401') as string });
    });
  });
});
