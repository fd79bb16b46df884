import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import Pusher from 'pusher';
import { expect, it, onTestFinished } from 'vitest';
import { freePort } from '../support/free-port.js';
import { startPostgres } from '../support/postgres.js';
import { joined, PusherJs } from '../support/pusher-js.js';
import { TestRedis } from '../support/redis.js';
import { Terminals } from '../support/terminal.js';
import { describePackage, folderWith, minutes, pathWith, tarballOf } from './installed.js';
import { npmInstall, run } from './workshop.js';

const schematics = 'node_modules/@angular-devkit/schematics-cli/bin/schematics.js';

/** As `nest new` makes it. */
type Kind = 'esm' | 'cjs';

async function nestNew(name: string, type: Kind): Promise<string> {
  const cli = folderWith(`${name} cli`, { 'package.json': { private: true } });
  await npmInstall(cli, '@nestjs/cli@12.0.8');
  await run(process.execPath, [schematics, '@nestjs/schematics:application', `--name=${name}`, `--type=${type}`], cli);
  return join(cli, name);
}

/** What `nest new` and then the documentation of Nest say about Fastify. */
async function onFastify(folder: string): Promise<void> {
  const [manifest, main] = [join(folder, 'package.json'), join(folder, 'src/main.ts')];
  writeFileSync(manifest, readFileSync(manifest, 'utf8').replace('platform-express', 'platform-fastify'));
  const text = readFileSync(main, 'utf8').replace('create(AppModule)', 'create(AppModule, new FastifyAdapter())');
  writeFileSync(main, `import { FastifyAdapter } from '@nestjs/platform-fastify';\n${text}`);
}

const sources = (folder: string) =>
  [
    'package.json',
    '.env',
    ...readdirSync(join(folder, 'src'), { recursive: true, encoding: 'utf8' }).map((path) => `src/${path}`),
  ]
    .filter((path) => /\.(ts|json|env)$/.test(path))
    .toSorted()
    .map((path) => [path, readFileSync(join(folder, path), 'utf8')]);

/** The variables of the written `.env`. */
const variables = (folder: string): Readonly<Record<string, string>> =>
  Object.fromEntries(
    [...readFileSync(join(folder, '.env'), 'utf8').matchAll(/^(\w+)=(.*)$/gm)].map(([, name, value]) => [name, value]),
  );

/** Starts the services that the written `.env` names, at ports of their own. */
async function startServices(folder: string): Promise<void> {
  const path = join(folder, '.env');
  let text = readFileSync(path, 'utf8');
  const replace = (name: string, port: number, url: string) => {
    const [, written] = new RegExp(`^${name}=(.*)$`, 'm').exec(text) ?? [];
    if (written === undefined) return;
    expect(new URL(written).port).toBe(`${port}`);
    text = text.replace(written, url);
  };
  if (text.includes('=postgres:')) {
    const postgres = await startPostgres();
    onTestFinished(() => postgres.stop());
    replace('ROOKERY_DATABASE_URL', 5432, await postgres.newDatabase());
  }
  if (text.includes('=redis:')) {
    const redis = await TestRedis.start();
    onTestFinished(() => redis.stop());
    replace('REDIS_URL', 6379, redis.url);
  }
  writeFileSync(path, text);
}

/** What pusher-js receives of an event that the stock library for servers triggers. */
async function receivedBySdks(port: number, environment: Readonly<Record<string, string>>): Promise<unknown> {
  const { PUSHER_APP_ID: appId = '', PUSHER_APP_KEY: key = '', PUSHER_APP_SECRET: secret = '' } = environment;
  const client = new PusherJs(key, {
    cluster: 'self',
    wsHost: '127.0.0.1',
    wsPort: port,
    forceTLS: false,
    enabledTransports: ['ws'],
  });
  try {
    const channel = await joined(client, 'news');
    const received = new Promise((resolve) => channel.bind('headline', resolve));
    const server = new Pusher({ appId, key, secret, host: '127.0.0.1', port: `${port}`, useTLS: false });
    await server.trigger('news', 'headline', { hello: 'world' });
    return await received;
  } finally {
    client.disconnect();
  }
}

describePackage('nest add rookery', () => {
  it.each([
    { name: 'commonjs', type: 'cjs', flags: ['--push', '--database=sqlite', '--yes'], fastify: false, tests: 6 },
    { name: 'modules', type: 'esm', flags: [], fastify: false, tests: 4 },
    { name: 'fastify', type: 'esm', flags: ['--push', '--database=postgres', '--redis'], fastify: true, tests: 6 },
  ] as const)(
    'in a new application ($name) adds what boots, serves the SDKs, and passes its tests',
    async ({ name, type, flags, fastify, tests }) => {
      const folder = await nestNew(name, type);
      if (fastify) await onFastify(folder);
      const environment = { PATH: pathWith(24), CI: 'true' };
      // `nest add` itself would install the published name.
      await npmInstall(folder, tarballOf('rookery'));
      const nestAdd = () => run('npx', ['nest', 'add', 'rookery', '--skip-install', ...flags], folder, environment);
      expect(await nestAdd()).toContain('CREATE src/rookery/channel-access.ts');
      const added = sources(folder);
      expect(await nestAdd()).toContain('Everything is there already');
      expect(sources(folder)).toEqual(added);
      await npmInstall(folder);

      expect(await run('npm', ['test'], folder, environment)).toMatch(new RegExp(`Tests:?\\s+${tests} passed`));

      await startServices(folder);
      const port = await freePort();
      const terminals = new Terminals(folder, { ...process.env, ...environment, NODE_OPTIONS: '', PORT: `${port}` });
      try {
        const server = terminals.start('npx nest start');
        await server.says('Nest application successfully started', minutes(2));
        expect(await receivedBySdks(port, variables(folder))).toEqual({ hello: 'world' });
      } finally {
        await terminals.close();
      }
    },
    minutes(12),
  );
});
