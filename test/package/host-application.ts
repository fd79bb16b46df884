// The applications that the package is installed into, as their authors would write them.
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
  readonly hasTypeOrm: boolean;
  readonly hasRedis: boolean;
  /** Where the contracts of storage are run with its TypeORM. Node 20 with TypeORM 1 is what all other tests run. */
  readonly contractsOn: readonly NodeLine[];
  readonly hasJest: boolean;
}

const nest12 = { '@nestjs/common': '12.5.1', '@nestjs/core': '12.5.1', '@nestjs/websockets': '12.1.1' };
const nest11 = { '@nestjs/common': '11.2.10', '@nestjs/core': '11.2.10', '@nestjs/websockets': '11.2.6' };
// `module: node16` is a Node that cannot require ES modules, which Nest 12 consists of.
const withNest12 = { node16: 'node20', bundler: 'es2022' };
const withNest11 = { node16: 'node16', nodenext: 'nodenext', bundler: 'es2022' };

export const nest12OnFastify: Host = {
  name: 'nest-12-fastify',
  dependencies: { ...nest12, '@nestjs/platform-fastify': '12.5.0', typeorm: '1.1.1', pg: '8.23.1', ioredis: '5.11.1' },
  typescript: '6.0.3',
  isModule: true,
  platform: 'fastify',
  resolutions: withNest12,
  hasTypeOrm: true,
  hasRedis: true,
  contractsOn: [22, 24],
  hasJest: false,
};

export const nest12OnExpress: Host = {
  name: 'nest-12-express',
  dependencies: { ...nest12, '@nestjs/platform-express': '12.5.1' },
  typescript: '6.0.3',
  isModule: true,
  platform: 'express',
  resolutions: withNest12,
  hasTypeOrm: false,
  hasRedis: false,
  contractsOn: [],
  hasJest: false,
};

export const nest11OnExpress: Host = {
  name: 'nest-11-commonjs',
  dependencies: {
    ...nest11,
    '@nestjs/platform-express': '11.2.10',
    typeorm: '0.3.31',
    pg: '8.23.1',
    ioredis: '5.11.1',
  },
  typescript: '5.9.3',
  isModule: false,
  platform: 'express',
  resolutions: withNest11,
  hasTypeOrm: true,
  hasRedis: true,
  contractsOn: [20, 24],
  hasJest: true,
};

/** All files of a host that installs `tarball`. */
export function filesOf(host: Host, tarball: string): Readonly<Record<string, string | object>> {
  return {
    'package.json': packageJson(host, tarball),
    'tsconfig.json': { compilerOptions: compilerOptions(host), include: ['src'] },
    ...Object.fromEntries(
      Object.entries(host.resolutions).map(([moduleResolution, module]) => [
        `tsconfig.${moduleResolution}.json`,
        { extends: './tsconfig.json', compilerOptions: { module, moduleResolution, noEmit: true } },
      ]),
    ),
    'src/app.module.ts': appModule(host),
    'src/main.ts': main(host),
    'src/everything.ts': everything(host),
    ...(host.hasJest && { 'src/app.spec.ts': spec }),
  };
}

function packageJson({ dependencies, typescript, isModule, hasJest }: Host, tarball: string) {
  const jest = { jest: '30.5.2', 'ts-jest': '29.4.15', '@types/jest': '30.0.0', '@nestjs/testing': '11.2.6' };
  return {
    private: true,
    type: isModule ? 'module' : 'commonjs',
    dependencies: { ...dependencies, 'reflect-metadata': '0.2.2', rxjs: '7.8.2', rookery: `file:${tarball}` },
    devDependencies: { typescript, '@types/node': '20.19.43', ...(hasJest && jest) },
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

const main = ({ platform, isModule }: Host): string => `
${platform === 'fastify' ? `import { FastifyAdapter } from '@nestjs/platform-fastify';` : ''}
import { NestFactory } from '@nestjs/core';
import { AppModule } from './app.module${isModule ? '.js' : ''}';
import './everything${isModule ? '.js' : ''}';

async function bootstrap() {
  const app = await NestFactory.create(AppModule${platform === 'fastify' ? ', new FastifyAdapter()' : ''});
  await app.listen(0, '127.0.0.1');
  console.log('Listening on ' + (await app.getUrl()));
}
void bootstrap();
`;

const always = ['authorization', 'channels', 'common', 'events', 'presence', 'publish', 'push-device'];

/** Whoever imports it all needs all types, and none of what is optional and not there. */
const everything = ({ hasTypeOrm, hasRedis, isModule }: Host): string =>
  [
    ...always,
    ...(hasTypeOrm ? ['typeorm'] : []),
    ...(hasRedis ? ['redis'] : []),
    // ES modules for places without Node.
    ...(isModule ? ['client', 'server'] : []),
  ]
    .map((lib) => `export * as ${lib.replace('-', '')} from 'rookery/${lib}';\n`)
    .join('');

const spec = `
import { Test } from '@nestjs/testing';
import { EventsService } from 'rookery/channels';
import { AppModule } from './app.module';

describe('AppModule', () => {
  it('boots, and triggers', async () => {
    const module = await Test.createTestingModule({ imports: [AppModule] }).compile();
    const app = await module.createNestApplication().init();
    const event = { name: 'headline', channel: 'news', data: 'hi' };
    expect(await app.get(EventsService).trigger('1', event)).toEqual({});
    await app.close();
  });
});
`;
