import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import PushNotifications from '@pusher/push-notifications-server';
import Pusher from 'pusher';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { instance } from '../support/push-app.js';
import { PusherJs } from '../support/pusher-js.js';
import { isRedisInstalled, TestRedis } from '../support/redis.js';
import { type StandInFcm, standInApns, standInFcm, standInWebPush } from '../support/stand-ins/index.js';
import { authorityFile } from '../support/tls/index.js';
import { until } from '../support/until.js';
import { filesOf, type Host } from './host-application.js';
import { describePackage, folderWith, minutes, node, tarballsOf } from './installed.js';
import { expectShopStory } from './shop-story.js';
import { nodeLines, npmInstall, root, run } from './workshop.js';

let google: StandInFcm;
let redis: TestRedis | undefined;

/** What holds of the package in an application that installs it. A file for each, so that they share the time. */
export function describeInHost(host: Host): void {
  describePackage(`the packed package in ${host.name}`, () => {
    let folder: string;
    const isTested = host.hasJest || host.hasVitest || host.hasNodeTest;
    /** What the compiler says of the host. */
    let compiled: string;
    const configs = ['tsconfig.json', ...Object.keys(host.resolutions).map((each) => `tsconfig.${each}.json`)];

    beforeAll(async () => {
      google = await standInFcm();
      if (host.hasRedis && isRedisInstalled()) redis = await TestRedis.start();
      folder = folderWith(
        host.name,
        filesOf(
          host,
          tarballsOf(
            'rookery',
            '@rookery/client',
            ...(host.hasTypeOrm ? ['@rookery/server'] : []),
            ...(isTested ? ['@rookery/console', '@rookery/testing'] : []),
          ),
        ),
      );
      await npmInstall(folder);
      // One compiler for all, which is twice as fast as one for each.
      const tsc = ['node_modules/typescript/bin/tsc', '--build', ...configs];
      compiled = await run(process.execPath, tsc, folder).catch(String);
    }, minutes(8));

    afterAll(() => Promise.all([google.close(), redis?.stop()]));

    it(`compiles by ${configs.join(', ')}, with the types of all libraries checked`, () => {
      expect(compiled).toBe('');
    });

    describe.each(nodeLines)('on Node %i', (line) => {
      it(
        'delivers what pusher triggers to pusher-js, through Redis where it has that, and a publish of Beams to Google',
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

      if (host.hasJest)
        it(
          'is imported by specs of Jest, with its server, its matchers and a contract, and sends from there',
          async () => {
            const [apple, browser] = await Promise.all([standInApns(), standInWebPush()]);
            const { credentials: apns } = apple;
            const { credentials: web } = browser;
            const network = {
              instance: { ...instance, apns, fcm: google.credentials, web },
              devices: {
                apns: { token: 'a1'.repeat(32), bundleIdentifier: 'com.example.shop' },
                fcm: { token: `jest ${line}` },
                web: { token: browser.subscribe().token },
              },
            };
            const env = { NETWORK: JSON.stringify(network), NODE_EXTRA_CA_CERTS: authorityFile };
            // A spec that fails leaves its application open. Five seconds are few beside others that install and compile.
            const jest = ['node_modules/jest/bin/jest.js', '--forceExit', '--testTimeout=60000'];
            try {
              const output = await run(node(line), jest, folder, env);
              expect(output).toContain('Test Suites: 3 passed');
              expect([apple.count, browser.count]).toEqual([1, 1]);
            } finally {
              await Promise.all([apple.close(), browser.close()]);
            }
          },
          minutes(2),
        );

      if (host.hasNodeTest)
        it(
          'is imported by a spec of node:test',
          async () => {
            expect(await run(node(line), ['--test', '--test-reporter=tap', 'dist/node-test.js'], folder)).toContain(
              '# fail 0',
            );
          },
          minutes(2),
        );

      if (host.hasTypeOrm)
        it(
          'authorizes, hears, types events, triggers in its own transactions, and is triggered from without Node',
          async () => {
            const shop = await started(node(line), folder, 'dist/shop.main.js');
            try {
              await expectShopStory(shop.port, folder);
            } finally {
              await shop.stop();
            }
          },
          minutes(2),
        );

      if (host.hasTypeOrm)
        it('migrates an embedded database, and copies it', async () => {
          const command = [
            'node_modules/.bin/rookery',
            'migrate',
            '--database',
            `sqlite:${join(folder, `${line}.db`)}`,
          ];
          expect(await run(node(line), command, folder)).toContain('applied FirstRelease');
          const copy = ['node_modules/.bin/rookery', 'backup', join(folder, `${line} copy.db`), ...command.slice(2)];
          expect(await run(node(line), copy, folder)).toContain('copied ');
          const restored = ['--database', `sqlite:${join(folder, `${line} copy.db`)}`];
          expect(await run(node(line), [...command.slice(0, 2), ...restored], folder)).toContain('nothing to do');
        });

      const databases = host.contractsOn[line];
      if (databases)
        it(
          `keeps the contracts of storage on ${databases}, and all rows when it migrates, with the TypeORM that the host has`,
          async () => {
            const ofPush = ['device', 'publish-outbox', 'console-store', 'request-rates'];
            const contracts = ['app', 'instance', 'job-store', ...ofPush];
            const output = await run(
              node(line),
              [
                'node_modules/vitest/vitest.mjs',
                'run',
                '--project',
                databases === 'SQLite' ? 'node' : 'services',
                ...contracts.map((name) => `test/contracts/${name}`),
                'test/storage/migrations.e2e',
              ],
              root,
              { ROOKERY_INSTALLED_IN: folder },
            );
            expect(output).toMatch(/Test Files +8 passed/);
          },
          minutes(10),
        );
    });
  });
}

/** The host's process on a Node, listening. */
async function started(binary: string, folder: string, main = 'dist/main.js') {
  const env = {
    ...process.env,
    FCM: JSON.stringify(google.credentials),
    ...(redis && { REDIS_URL: redis.url }),
    NODE_EXTRA_CA_CERTS: authorityFile,
    NODE_OPTIONS: '',
  };
  const child = spawn(binary, [main], { cwd: folder, env, stdio: 'pipe' });
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
