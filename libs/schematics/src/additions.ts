import { randomBytes, randomInt, randomUUID } from 'node:crypto';
import type { ModuleEntry } from './module-file/entry.js';
import type { Features } from './options.js';

/** An entry of the root module, and which of its options depend on the storage. */
export interface Addition extends ModuleEntry {
  readonly storage?: readonly string[];
}

/** A constant of the written `rookery.config.ts`. */
export interface ConfigConstant {
  readonly name: string;
  readonly text: string;
}

/** All that features need of a project. */
export interface Additions {
  readonly entries: readonly Addition[];
  readonly constants: readonly ConfigConstant[];
  /** With a value that works on a developer's machine. */
  readonly variables: Readonly<Record<string, string>>;
  /** Packages with their ranges. */
  readonly dependencies: Readonly<Record<string, string>>;
}

/** Ranges among those of the kit's peer dependencies. */
export const ranges = { typeorm: '^1.0.0', pg: '^8.11.0', ioredis: '^5.9.3', '@photostructure/sqlite': '>=1.2.1' };

const moduleOf = (name: string, from: string, options: readonly string[] = []) =>
  ({ list: 'imports', name, from: `rookery/${from}`, options }) as const;

/**
 * @param config what the root module imports `rookery.config` from
 * @param access what it imports `channel-access` from
 */
export function additionsFor(
  features: Features,
  { config, access }: { readonly config: string; readonly access: string },
  node = process.versions.node,
): Additions {
  const all = [
    storage(features, config, node),
    shared(features, config),
    channels(features, { config, access }),
    push(features, config),
  ];
  const merged = (key: 'variables' | 'dependencies'): Readonly<Record<string, string>> =>
    Object.assign({}, ...all.map((each) => each[key]));
  return {
    entries: all.flatMap(({ entries }) => entries),
    constants: all.flatMap(({ constants }) => constants),
    variables: merged('variables'),
    dependencies: merged('dependencies'),
  };
}

const none: Additions = { entries: [], constants: [], variables: {}, dependencies: {} };

function storage({ database, channels, redis }: Features, config: string, node: string): Additions {
  if (database === 'none') return none;
  const { typeorm, pg, '@photostructure/sqlite': sqlite } = ranges;
  const uses = [{ name: 'databaseUrl', from: config }];
  const isCluster = database === 'postgres' && channels && !redis;
  return {
    entries: [
      { ...moduleOf('TypeOrmStorageModule', 'typeorm', ['url: databaseUrl']), uses },
      ...(isCluster ? [moduleOf('PostgresClusterModule', 'typeorm')] : []),
    ],
    constants: [constant('databaseUrl', 'ROOKERY_DATABASE_URL')],
    variables: {
      // Not DATABASE_URL, which other libraries read, each in a form of its own.
      ROOKERY_DATABASE_URL:
        database === 'sqlite' ? 'sqlite:data/rookery.db' : 'postgres://postgres:postgres@localhost:5432/rookery',
    },
    dependencies: {
      typeorm,
      ...(database === 'postgres' && { pg }),
      ...(database === 'sqlite' && !hasSqlite(node) && { '@photostructure/sqlite': sqlite }),
    },
  };
}

/** Whether Node has an SQLite of its own that the kit uses. */
function hasSqlite(node: string): boolean {
  const [major = 0, minor = 0] = node.split('.').map(Number);
  return major > 22 || (major === 22 && minor >= 16);
}

function shared({ redis }: Features, config: string): Additions {
  if (!redis) return none;
  return {
    entries: [{ ...moduleOf('RedisModule', 'redis', ['url: redisUrl']), uses: [{ name: 'redisUrl', from: config }] }],
    constants: [constant('redisUrl', 'REDIS_URL')],
    variables: { REDIS_URL: 'redis://localhost:6379' },
    dependencies: { ioredis: ranges.ioredis },
  };
}

function channels(
  { channels, database, redis }: Features,
  { config, access }: { readonly config: string; readonly access: string },
): Additions {
  if (!channels) return none;
  const isDurable = database === 'sqlite' && !redis;
  const storage = [
    ...(database === 'none' ? [] : ["webhookOutbox: TypeOrmJobStore.named('channels')"]),
    ...(isDurable ? ['...durableEvents'] : []),
  ];
  const uses = [
    { name: 'channelsApp', from: config },
    ...(database === 'none' ? [] : [{ name: 'TypeOrmJobStore', from: 'rookery/typeorm' }]),
    ...(isDurable ? [{ name: 'durableEvents', from: 'rookery/typeorm' }] : []),
  ];
  return {
    entries: [
      moduleOf('PresenceModule', 'presence'),
      { ...moduleOf('ChannelsModule', 'channels', ['apps: [channelsApp]', ...storage]), storage, uses },
      moduleOf('AuthorizationModule', 'authorization'),
      { list: 'providers', name: 'ChannelAccess', from: access },
    ],
    constants: [object('channelsApp', { id: 'PUSHER_APP_ID', key: 'PUSHER_APP_KEY', secret: 'PUSHER_APP_SECRET' })],
    variables: {
      PUSHER_APP_ID: String(randomInt(100_000, 10_000_000)),
      PUSHER_APP_KEY: randomBytes(10).toString('hex'),
      PUSHER_APP_SECRET: randomBytes(32).toString('hex'),
    },
    dependencies: {},
  };
}

function push({ push, database }: Features, config: string): Additions {
  if (!push) return none;
  const isStored = database !== 'none';
  const [ofDevices, ofPublishes] = isStored
    ? [
        ['deviceRepository: TypeOrmDeviceRepository'],
        ['publishOutbox: TypeOrmPublishOutbox', "webhookOutbox: TypeOrmJobStore.named('push')"],
      ]
    : [[], []];
  const typeorm = (...names: readonly string[]) =>
    isStored ? names.map((name) => ({ name, from: 'rookery/typeorm' })) : [];
  return {
    entries: [
      {
        ...moduleOf('PushDeviceModule', 'push-device', ['instances: [beamsInstance]', ...ofDevices]),
        storage: ofDevices,
        uses: [{ name: 'beamsInstance', from: config }, ...typeorm('TypeOrmDeviceRepository')],
      },
      {
        ...moduleOf('PublishModule', 'publish', ofPublishes),
        storage: ofPublishes,
        uses: typeorm('TypeOrmPublishOutbox', 'TypeOrmJobStore'),
      },
    ],
    constants: [object('beamsInstance', { id: 'BEAMS_INSTANCE_ID', secretKey: 'BEAMS_SECRET_KEY' })],
    variables: {
      BEAMS_INSTANCE_ID: randomUUID(),
      BEAMS_SECRET_KEY: randomBytes(32).toString('hex').toUpperCase(),
    },
    dependencies: {},
  };
}

const constant = (name: string, variable: string): ConfigConstant => ({
  name,
  text: `export const ${name} = variable('${variable}');\n`,
});

const object = (name: string, fields: Readonly<Record<string, string>>): ConfigConstant => ({
  name,
  text: `export const ${name} = {\n${Object.entries(fields)
    .map(([field, variable]) => `  ${field}: variable('${variable}'),\n`)
    .join('')}};\n`,
});
