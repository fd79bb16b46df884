// The applications that the package is installed into, as their authors would write them.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { instance } from '../support/push-app.js';
import type { NodeLine } from './workshop.js';

export interface Host {
  readonly name: string;
  readonly dependencies: Readonly<Record<string, string>>;
  readonly typescript: string;
  /** An ES module names files by their ends. */
  readonly isModule: boolean;
  readonly platform: 'fastify' | 'express';
  /** The resolutions of modules under which it compiles besides its own, by the `module` that goes with each. */
  readonly resolutions: Readonly<Record<string, string>>;
  /** The oldest library of the language that it compiles with. */
  readonly library?: { readonly lib: readonly string[]; readonly target: string };
  readonly hasTypeOrm: boolean;
  readonly hasRedis: boolean;
  /**
   * Where the contracts of storage are run with its TypeORM, on which databases. All other tests run TypeORM 1 on Node 20,
   * also on PostgreSQL; Node 22 and 24 have the same SQLite of their own.
   */
  readonly contractsOn: Readonly<Partial<Record<NodeLine, 'SQLite' | 'all databases'>>>;
  readonly hasJest: boolean;
  /** Whether its specs are Vitest's; they are only compiled. */
  readonly hasVitest: boolean;
  /** Whether it tests itself with @rookery/testing on node:test. */
  readonly hasNodeTest: boolean;
}

const nest12 = { '@nestjs/common': '12.5.1', '@nestjs/core': '12.5.1' };
const nest11 = { '@nestjs/common': '11.2.10', '@nestjs/core': '11.2.10' };
/** Node 20 has no SQLite of its own. */
const typeOrm = (version: string) => ({ typeorm: version, pg: '8.23.1', '@photostructure/sqlite': '1.2.1' });
// `module: node16` is a Node that cannot require ES modules, which Nest 12 consists of.
const withNest12 = { node16: 'node20', bundler: 'es2022' };
const withNest11 = { node16: 'node16', bundler: 'es2022' };

export const nest12OnFastify: Host = {
  name: 'nest-12-fastify',
  dependencies: { ...nest12, '@nestjs/platform-fastify': '12.5.0', ...typeOrm('1.1.1'), ioredis: '5.11.1' },
  typescript: '6.0.3',
  isModule: true,
  platform: 'fastify',
  resolutions: withNest12,
  hasTypeOrm: true,
  hasRedis: true,
  contractsOn: { 22: 'SQLite' },
  hasJest: false,
  hasVitest: true,
  hasNodeTest: true,
};

export const nest12OnExpress: Host = {
  name: 'nest-12-express',
  dependencies: { ...nest12, '@nestjs/platform-express': '12.5.1' },
  typescript: '6.0.3',
  isModule: true,
  platform: 'express',
  // The other host of Nest 12 shows that they make no difference.
  resolutions: {},
  hasTypeOrm: false,
  hasRedis: false,
  contractsOn: {},
  hasJest: false,
  hasVitest: false,
  hasNodeTest: false,
};

export const nest11OnExpress: Host = {
  name: 'nest-11-commonjs',
  dependencies: {
    ...nest11,
    '@nestjs/platform-express': '11.2.10',
    ...typeOrm('0.3.31'),
    ioredis: '5.11.1',
  },
  typescript: '5.9.3',
  isModule: false,
  platform: 'express',
  resolutions: withNest11,
  library: { lib: ['es2021'], target: 'es2021' },
  hasTypeOrm: true,
  hasRedis: true,
  contractsOn: { 20: 'SQLite', 24: 'all databases' },
  hasJest: true,
  hasVitest: false,
  hasNodeTest: false,
};

/** Packed packages by name, as dependencies. */
type Tarballs = Readonly<Record<string, string>>;

/** All files of a host that installs them. */
export function filesOf(host: Host, tarballs: Tarballs): Readonly<Record<string, string | object>> {
  return {
    'package.json': packageJson(host, tarballs),
    'tsconfig.json': { compilerOptions: compilerOptions(host), include: ['src'] },
    ...Object.fromEntries(
      Object.entries(host.resolutions).map(([moduleResolution, module]) => [
        `tsconfig.${moduleResolution}.json`,
        {
          extends: './tsconfig.json',
          compilerOptions: {
            module,
            moduleResolution,
            noEmit: true,
            ...(moduleResolution === 'bundler' && host.library),
          },
        },
      ]),
    ),
    'src/app.module.ts': appModule(host),
    'src/main.ts': main(host),
    'src/everything.ts': everything(host),
    ...(host.hasTypeOrm && {
      'src/shop.ts': readFileSync(join(import.meta.dirname, 'shop.ts'), 'utf8'),
      'src/shop.main.ts': shopMain(host),
    }),
    ...(host.hasJest && {
      'src/app.spec.ts': spec,
      'src/network.spec.ts': networkSpec,
      'src/globals.spec.ts': globalsSpec,
    }),
    ...(host.hasVitest && { 'src/vitest.spec.ts': vitestSpec }),
    ...(host.hasNodeTest && { 'src/node-test.ts': nodeTest }),
  };
}

function packageJson(
  { dependencies, typescript, isModule, hasJest, hasVitest, hasNodeTest }: Host,
  tarballs: Tarballs,
) {
  const jest = { jest: '30.5.2', 'ts-jest': '29.4.15', '@types/jest': '30.0.0', '@nestjs/testing': '11.2.6' };
  return {
    private: true,
    type: isModule ? 'module' : 'commonjs',
    dependencies: { ...dependencies, 'reflect-metadata': '0.2.2', rxjs: '7.8.2', ...tarballs },
    devDependencies: {
      typescript,
      '@types/node': '20.19.43',
      ...(hasJest && jest),
      ...(hasVitest && { vitest: '4.1.12' }),
      ...(hasNodeTest && { '@nestjs/testing': '12.1.1' }),
    },
    // As `nest new` writes it.
    jest: {
      moduleFileExtensions: ['js', 'json', 'ts'],
      rootDir: 'src',
      testRegex: '.*\\.spec\\.ts$',
      transform: { '^.+\\.(t|j)s$': 'ts-jest' },
      testEnvironment: 'node',
    },
  };
}

function compilerOptions({ isModule, hasJest }: Host) {
  const [module, moduleResolution] = isModule ? ['nodenext', 'nodenext'] : ['commonjs', 'node10'];
  return {
    module,
    moduleResolution,
    target: 'es2023',
    types: hasJest ? ['node', 'jest'] : ['node'],
    strict: true,
    emitDecoratorMetadata: true,
    experimentalDecorators: true,
    esModuleInterop: true,
    rootDir: './src',
    outDir: './dist',
    skipLibCheck: false,
  };
}

const appModule = ({ hasRedis }: Host): string => `
import { Module } from '@nestjs/common';
import { ChannelsModule } from 'rookery/channels';
import { PresenceModule } from 'rookery/presence';
import { PublishModule } from 'rookery/publish';
import { PushDeviceModule } from 'rookery/push-device';
${hasRedis ? `import { RedisModule } from 'rookery/redis';\n\nconst url = process.env['REDIS_URL'];` : ''}
const fcm = JSON.parse(process.env['FCM'] ?? 'null') ?? undefined;

@Module({
  imports: [
    ${hasRedis ? '...(url ? [RedisModule.forRoot({ url })] : []),' : ''}
    PresenceModule.forRoot(),
    ChannelsModule.forRoot({ apps: [{ id: '1', key: 'key', secret: 'secret' }] }),
    PushDeviceModule.forRoot({ instances: [{ id: '${instance.id}', secretKey: '${instance.secretKey}', fcm }] }),
    PublishModule.forRoot(),
  ],
})
export class AppModule {}
`;

const main = (host: Host): string => `
import { AppModule } from './app.module${end(host)}';
import './everything${end(host)}';
${bootstrap(host, 'AppModule')}`;

const shopMain = (host: Host): string => `
import { dataSource, ShopModule } from './shop${end(host)}';
${bootstrap(host, 'ShopModule', 'await dataSource.initialize();')}`;

const end = ({ isModule }: Host): string => (isModule ? '.js' : '');

const bootstrap = ({ platform }: Host, module: string, first = ''): string => `
${platform === 'fastify' ? `import { FastifyAdapter } from '@nestjs/platform-fastify';` : ''}
import { NestFactory } from '@nestjs/core';

async function bootstrap() {
  ${first}
  const app = await NestFactory.create(${module}${platform === 'fastify' ? ', new FastifyAdapter()' : ''});
  await app.listen(0, '127.0.0.1');
  console.log('Listening on ' + (await app.getUrl()));
}
void bootstrap();
`;

const always = ['authorization', 'channels', 'jobs', 'presence', 'publish', 'push-device'];

/** Importing all of it needs all types, but no optional package that is missing. */
const everything = ({ hasTypeOrm, hasRedis, isModule, hasJest, hasNodeTest }: Host): string =>
  [...always, ...(hasTypeOrm ? ['typeorm'] : []), ...(hasRedis ? ['redis'] : [])]
    .map((lib) => `export * as ${lib.replace('-', '')} from 'rookery/${lib}';\n`)
    // ES modules for places without Node.
    .concat(
      isModule
        ? ["export * as client from '@rookery/client';\nexport * as server from '@rookery/client/server';\n"]
        : [],
    )
    .concat(
      hasJest || hasNodeTest
        ? ["export * as testing from '@rookery/testing';\nexport * as console from '@rookery/console';\n"]
        : [],
    )
    .concat("export * as events from '@rookery/client/events';\n", asksForReceipts)
    .join('');

/** A field that a wing adds to the core's type, in a file of its own. */
const asksForReceipts = `import type { EventsService } from 'rookery/channels';
export const sent = (events: EventsService) =>
  events.trigger('1', { name: 'message', channel: 'presence-room', data: {}, receipts: true });
`;

const spec = `
import { EventsService, InProcessBroker } from 'rookery/channels';
import { PublishService } from 'rookery/publish';
import { describeBroker, RookeryTesting, rookeryMatchers } from '@rookery/testing';
import '@rookery/testing/jest';
import { AppModule } from './app.module';

expect.extend(rookeryMatchers);

describe('AppModule', () => {
  it('boots, triggers, pushes, and closes silent clients', async () => {
    const rookery = await RookeryTesting.start([AppModule]);
    const client = await rookery.connect();
    await client.subscribe('news');
    const event = { name: 'headline', channel: 'news', data: 'hi' };
    expect(await rookery.get(EventsService).trigger('1', event)).toEqual({});
    await expect(client).toHaveReceivedEvent('news', 'headline', 'hi');
    await rookery.register({ interests: ['hello'] });
    const fcm = { notification: { title: 'Hello' } };
    await rookery.get(PublishService).publishToInterests('${instance.id}', { interests: ['hello'], fcm });
    await expect(rookery).toHaveBeenPushedTo({ interest: 'hello' }, fcm);
    client.pause();
    await rookery.clock.advance(151_000);
    client.resume();
    expect(await client.closing()).toMatchObject({ code: 4201 });
    await rookery.close();
  });
});

describeBroker(() => new InProcessBroker());
`;

const matching = (runner: string, matchers: string): string => `
import { expect, it } from '${runner}';
import { RookeryTesting, rookeryMatchers } from '@rookery/testing';
import '${matchers}';

expect.extend(rookeryMatchers);

it('knows the matchers by their types', async () => {
  const rookery = await RookeryTesting.start();
  const client = await rookery.connect();
  await client.subscribe('news');
  await expect(client).not.toHaveReceivedEvent('news', 'headline');
  await expect(rookery).not.toHaveBeenPushedTo({ interest: 'hello' });
  await rookery.close();
});
`;

const globalsSpec = matching('@jest/globals', '@rookery/testing/jest');
const vitestSpec = matching('vitest', '@rookery/testing/vitest');

/** Without @rookery/testing: it sends to the gateways in the environment, and to a webhook of its own. */
const networkSpec = `
import { Module } from '@nestjs/common';
import { Test } from '@nestjs/testing';
import { createServer } from 'node:http';
import { PublishModule, PublishService } from 'rookery/publish';
import { DeviceTokens, PushDeviceModule } from 'rookery/push-device';

const { instance, devices } = JSON.parse(process.env['NETWORK'] ?? '{}');

it('issues a token and accepts it, calls a webhook, and pushes to each platform', async () => {
  const called: unknown[] = [];
  const endpoint = createServer((request, response) => {
    called.push(request.headers['webhook-event-type']);
    response.end();
  });
  await new Promise<void>((resolve) => endpoint.listen(0, '127.0.0.1', resolve));
  const { port } = endpoint.address() as { port: number };
  const webhooks = [{ url: 'http://127.0.0.1:' + port, secret: 'secret', events: ['v1.PublishToUsersAttempt'] }];

  @Module({
    imports: [
      PushDeviceModule.forRoot({ instances: [{ ...instance, webhooks }], allowPrivateNetwork: true }),
      PublishModule.forRoot({ allowPrivateNetwork: true }),
    ],
  })
  class NetworkModule {}

  const app = (await Test.createTestingModule({ imports: [NetworkModule] }).compile()).createNestApplication();
  await app.listen(0, '127.0.0.1');
  const base = (await app.getUrl()) + '/device_api/v1/instances/' + instance.id + '/devices/';
  const { token } = await app.get(DeviceTokens).issue(instance.id, 'alice');
  const headers = { 'content-type': 'application/json', authorization: 'Bearer ' + token };
  for (const [platform, device] of Object.entries(devices)) {
    const registered = await fetch(base + platform, { method: 'POST', headers, body: JSON.stringify(device) });
    const { id } = (await registered.json()) as { id: string };
    const assigned = await fetch(base + platform + '/' + id + '/user', { method: 'PUT', headers });
    expect(assigned.status).toBe(200);
  }
  const publishes = app.get(PublishService);
  const notification = { title: 'Hello', body: 'Alice' };
  const { publishId } = await publishes.publishToUsers(instance.id, {
    users: ['alice'],
    apns: { aps: { alert: notification } },
    fcm: { notification },
    web: { notification },
  });
  const sent = async () => {
    const { platforms } = await publishes.status(instance.id, publishId);
    return Object.values(platforms).filter(({ sent }) => sent === 1).length;
  };
  while ((await sent()) < 3 || called.length < 1) await new Promise((resolve) => setTimeout(resolve, 20));
  expect(called).toEqual(['v1.PublishToUsersAttempt']);
  await app.close();
  endpoint.close();
});
`;

const nodeTest = `
import { FastifyAdapter } from '@nestjs/platform-fastify';
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { EventsService, InProcessBroker } from 'rookery/channels';
import { describeBroker, RookeryTesting } from '@rookery/testing';
import { AppModule } from './app.module.js';

describe('AppModule', () => {
  it('boots, and sends to its clients', async () => {
    const rookery = await RookeryTesting.start([AppModule], { adapter: new FastifyAdapter() });
    const client = await rookery.connect();
    await client.subscribe('news');
    await rookery.get(EventsService).trigger('1', { name: 'headline', channel: 'news', data: 'hi' });
    assert.equal((await client.next('headline')).data, 'hi');
    await rookery.close();
  });
});

describeBroker(() => new InProcessBroker(), { describe, it });
`;
