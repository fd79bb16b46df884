import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, rmSync } from 'node:fs';
import { join, posix } from 'node:path';
import PushNotifications from '@pusher/push-notifications-server';
import Pusher from 'pusher';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { instance } from '../support/push-app.js';
import { PusherJs } from '../support/pusher-js.js';
import { type StandInFcm, standInFcm } from '../support/stand-ins/index.js';
import { authorityFile } from '../support/tls/index.js';
import { until } from '../support/until.js';
import { filesOf, hosts } from './host-application.js';
import {
  describePackage,
  folderWith,
  nodeBinaries,
  nodeLines,
  npmInstall,
  packed,
  root,
  run,
  workshop,
} from './workshop.js';

const minutes = (count: number): number => count * 60_000;

let tarball: string;
let node: Awaited<ReturnType<typeof nodeBinaries>>;
let google: StandInFcm;

describePackage('the packed package', () => {
  beforeAll(async () => {
    [tarball, node, google] = await Promise.all([packed(), nodeBinaries(), standInFcm()]);
  }, minutes(10));
  afterAll(async () => {
    await google.close();
    rmSync(workshop, { recursive: true, force: true });
  }, minutes(3));

  it('has what a reader needs and no more', async () => {
    const files = (await run('tar', ['tzf', tarball], workshop))
      .trim()
      .split('\n')
      .map((path) => path.slice('package/'.length));
    expect(files).toEqual(expect.arrayContaining(['README.md', 'ARCHITECTURE.md', 'CHANGELOG.md', 'LICENSE']));
    const [maps, others] = [
      files.filter((path) => path.endsWith('.map')),
      files.filter((path) => !path.endsWith('.map')),
    ];
    for (const path of others)
      expect(path).toMatch(
        /^([A-Z]+(\.md)?|package\.json|docs\/.*|scripts\/vapid-keys\.mjs|(dist\/)?libs\/[^/]+\/src\/.*\.(js|ts))$/,
      );
    expect(files.filter((path) => /\.spec\.|tsbuildinfo/.test(path))).toEqual([]);
    const folder = folderWith('unpacked', {});
    await run('tar', ['xzf', tarball], folder);
    const sources = maps.flatMap((map) =>
      (JSON.parse(readFileSync(join(folder, 'package', map), 'utf8')) as { sources: string[] }).sources.map((source) =>
        posix.join(posix.dirname(map), source),
      ),
    );
    expect(sources.length).toBeGreaterThan(100);
    expect(files).toEqual(expect.arrayContaining(sources));
  });

  it(
    'has nothing that publint or attw find fault with',
    async () => {
      const folder = folderWith('lint', {
        'package.json': { private: true, dependencies: { publint: '0.3.25', '@arethetypeswrong/cli': '0.18.5' } },
      });
      await npmInstall(folder);
      expect(await run('npx', ['publint', '--strict', tarball], folder)).toContain('All good!');
      expect(await run('npx', ['attw', tarball], folder)).toContain('No problems found');
    },
    minutes(3),
  );

  it(
    'installs into an empty folder without a script of its own, and its commands run there',
    async () => {
      const folder = folderWith('empty', { 'package.json': { private: true } });
      await npmInstall(folder, tarball);
      const lock = JSON.parse(readFileSync(join(folder, 'package-lock.json'), 'utf8')) as {
        packages: Record<string, object>;
      };
      expect(Object.entries(lock.packages).filter(([, entry]) => 'hasInstallScript' in entry)).toEqual([]);
      expect(JSON.parse(await run(process.execPath, ['node_modules/.bin/rookery-vapid-keys'], folder))).toHaveProperty(
        'vapidPublicKey',
      );
    },
    minutes(3),
  );

  it.each([
    ['better-sqlite3 11', { 'better-sqlite3': '^11.0.0' }],
    ['better-sqlite3 13', { 'better-sqlite3': '^13.0.0' }],
    ['TypeORM 0.3.20', { typeorm: '0.3.20', '@nestjs/typeorm': '^11.0.0' }],
    ['TypeORM 0.3 and better-sqlite3 11', { typeorm: '^0.3.0', 'better-sqlite3': '^11.0.0' }],
    ['TypeORM 0.3 and better-sqlite3 12', { typeorm: '^0.3.0', 'better-sqlite3': '^12.0.0' }],
    ['TypeORM 1 and better-sqlite3 12', { typeorm: '^1.0.0', 'better-sqlite3': '^12.0.0' }],
  ])(
    'installs beside %s, without a conflict of peers',
    async (name, beside) => {
      const folder = folderWith(`beside ${name}`, {
        'package.json': {
          private: true,
          dependencies: {
            '@nestjs/common': '^11.0.0',
            '@nestjs/core': '^11.0.0',
            ...beside,
            rookery: `file:${tarball}`,
          },
        },
      });
      await npmInstall(folder, '--package-lock-only', '--strict-peer-deps');
    },
    minutes(2),
  );

  it(
    'says what it needs when TypeORM is too old',
    async () => {
      const nest = { '@nestjs/common': '11.2.10', '@nestjs/core': '11.2.10' };
      const dependencies = { ...nest, typeorm: '0.3.20', rookery: `file:${tarball}` };
      const folder = folderWith('old TypeORM', { 'package.json': { private: true, dependencies } });
      await npmInstall(folder);
      await expect(run(node(24), ['-e', 'require("rookery/typeorm")'], folder)).rejects.toThrow(
        'rookery/typeorm needs TypeORM 0.3.23 or later',
      );
    },
    minutes(2),
  );

  describe.each(hosts)('in $name', (host) => {
    let folder: string;
    const tsc = (...args: readonly string[]) => run('npx', ['tsc', ...args], folder);

    beforeAll(async () => {
      folder = folderWith(host.name, filesOf(host, tarball));
      await npmInstall(folder);
      await tsc('-p', 'tsconfig.json');
    }, minutes(5));

    it.each(Object.keys(host.resolutions))(
      'compiles under %s too, with the types of all libraries checked',
      async (resolution) => {
        await tsc('-p', `tsconfig.${resolution}.json`);
      },
      minutes(2),
    );

    describe.each(nodeLines)('on Node %i', (line) => {
      it(
        'delivers what pusher triggers to pusher-js, and a publish of Beams to Google',
        async () => {
          const app = await started(node(line), folder);
          try {
            expect(await headlineOver(app.port)).toBe('hi');
            expect(await pushOver(app.port, `${host.name} ${line}`)).toMatchObject({
              notification: { title: 'Hello' },
            });
          } finally {
            await app.stop();
          }
        },
        minutes(1),
      );

      it.runIf(host.hasJest)(
        'is imported by a spec of Jest',
        async () => {
          expect(await run(node(line), ['node_modules/jest/bin/jest.js'], folder)).toContain('1 passed');
        },
        minutes(2),
      );

      it.runIf(host.hasTypeOrm)('migrates an embedded database, or says what to install', async () => {
        const command = ['node_modules/.bin/rookery-migrate', `sqlite:${join(folder, `${line}.db`)}`];
        const output = run(node(line), command, folder);
        if (line === 20) await expect(output).rejects.toThrow('npm install better-sqlite3@12');
        else expect(await output).toContain('applied CreateDevices');
      });

      it.runIf(host.contractsOn.includes(line))(
        'keeps the contracts of storage with the TypeORM that the host has',
        async () => {
          const contracts = ['app', 'device', 'instance', 'publish-outbox', 'report', 'webhook-outbox'];
          const output = await run(
            node(line),
            ['node_modules/vitest/vitest.mjs', 'run', ...contracts.map((name) => `test/contracts/${name}`)],
            root,
            { ROOKERY_INSTALLED_IN: folder },
          );
          expect(output).toMatch(/Test Files +6 passed/);
        },
        minutes(10),
      );
    });
  });
});

/** The host's process on a Node, listening. */
async function started(binary: string, folder: string) {
  const env = {
    ...process.env,
    FCM: JSON.stringify(google.credentials),
    NODE_EXTRA_CA_CERTS: authorityFile,
    NODE_OPTIONS: '',
  };
  const child = spawn(binary, ['dist/main.js'], { cwd: folder, env, stdio: 'pipe' });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk: Buffer) => (output += chunk.toString()));
  const port = () => /Listening on http:\/\/127\.0\.0\.1:(\d+)/.exec(output)?.[1];
  await until(
    () => {
      if (child.exitCode !== null) throw new Error(`The host ended:\n${output}`);
      return port() !== undefined;
    },
    'the host listens',
    minutes(1),
  );
  return {
    port: Number(port()),
    async stop() {
      child.kill();
      if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
    },
  };
}

/** What pusher-js receives when pusher triggers. */
async function headlineOver(port: number): Promise<unknown> {
  const client = new PusherJs('key', {
    cluster: 'self',
    wsHost: '127.0.0.1',
    wsPort: port,
    forceTLS: false,
    enabledTransports: ['ws'],
  });
  try {
    const channel = client.subscribe('news');
    await new Promise((resolve) => channel.bind('pusher:subscription_succeeded', resolve));
    const received = new Promise((resolve) => channel.bind('headline', resolve));
    const pusher = new Pusher({
      appId: '1',
      key: 'key',
      secret: 'secret',
      host: '127.0.0.1',
      port: `${port}`,
      useTLS: false,
    });
    await pusher.trigger('news', 'headline', 'hi');
    return await received;
  } finally {
    client.disconnect();
  }
}

/** The message that Google gets for a device when its interest is published to. */
async function pushOver(port: number, token: string): Promise<unknown> {
  const devices = `http://127.0.0.1:${port}/device_api/v1/instances/${instance.id}/devices/fcm`;
  const call = (method: string, url: string, body?: object) =>
    fetch(url, {
      method,
      headers: { 'content-type': 'application/json' },
      ...(body && { body: JSON.stringify(body) }),
    });
  const { id } = (await (await call('POST', devices, { token })).json()) as { id: string };
  expect((await call('POST', `${devices}/${id}/interests/hello`)).status).toBe(200);
  // `port` works, though the SDK's types do not know it.
  const options = { instanceId: instance.id, secretKey: instance.secretKey, endpoint: '127.0.0.1', port };
  await new PushNotifications(options).publishToInterests(['hello'], { fcm: { notification: { title: 'Hello' } } });
  const messages = () => google.received.filter((one) => one.token === token);
  await until(() => messages().length > 0, 'Google has the message');
  return messages()[0]!.message as unknown;
}
