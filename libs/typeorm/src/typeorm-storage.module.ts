import {
  ConfigurableModuleBuilder,
  Inject,
  Logger,
  Module,
  type OnApplicationBootstrap,
  type OnApplicationShutdown,
} from '@nestjs/common';
import { alias, byForRoot, importedOnce } from '#common';
import { DataSource } from 'typeorm';
import { Database } from './database/database.js';
import { unavailable } from './database/database-unavailable.js';
import { sqliteJournal } from './database/journal.js';
import { databaseOn, openDatabase } from './open.js';
import { StorageHealth } from './health/storage-health.js';
import { migrate, pendingMigrations } from './migrations/migrate.js';

/** The place of Rookery's tables: `url` or `dataSource`, unless {@link TypeOrmStorageSource} names the data source. */
export interface TypeOrmStorageOptions {
  /** Rookery's own database: `sqlite:data/rookery.db` or `postgres://user:password@host/database`. */
  readonly url?: string;
  /** One of the host's data sources. */
  readonly dataSource?: DataSource;
  /** PostgreSQL itself, if `url` names a pooler in transaction mode: notifications and locks belong to sessions. */
  readonly listenUrl?: string | undefined;
  /** Connections in the PostgreSQL pool, if `url` names PostgreSQL. @default 10 */
  readonly poolSize?: number;
  /** Migrate the tables at boot; otherwise, a missing table fails the boot. @default true */
  readonly migrations?: boolean;
}

/** Injection token of the module's options. */
const typeOrmStorageOptions = Symbol('TypeOrmStorageOptions');

/** Options of `forRoot` and `forRootAsync` that a factory cannot return. */
export interface TypeOrmStorageSource {
  /**
   * The name of a data source that the host gave to `TypeOrmModule` of @nestjs/typeorm; `default` is the unnamed one.
   */
  readonly dataSourceName?: string;
}

/** The host's data source, if named. */
const namedDataSource = Symbol('RookeryNamedDataSource');

/** The token under which @nestjs/typeorm provides a data source: its `getDataSourceToken`, without depending on it. */
const tokenOf = (name: string) => (name === 'default' ? DataSource : `${name}DataSource`);

const { ConfigurableModuleClass } = new ConfigurableModuleBuilder<TypeOrmStorageOptions>({
  optionsInjectionToken: typeOrmStorageOptions,
})
  .setClassMethodName('forRoot')
  .setExtras<TypeOrmStorageSource>({ dataSourceName: undefined }, (module, { dataSourceName }) => ({
    ...module,
    global: true,
    providers: [
      ...(module.providers ?? []),
      dataSourceName === undefined
        ? { provide: namedDataSource, useValue: undefined }
        : { provide: namedDataSource, useExisting: tokenOf(dataSourceName) },
    ],
  }))
  .build();

const once = importedOnce('TypeOrmStorageModule', 'forRoot({ url })');

/**
 * Provides the {@link Database} that the TypeORM repositories and outboxes inject, and its {@link StorageHealth}. It
 * closes the connections that it opened, once the last outbox that sends until the end of a shutdown has finished.
 */
@Module({
  providers: [
    once,
    ...byForRoot('TypeOrmStorageModule.forRoot({ url })', [typeOrmStorageOptions, namedDataSource]),
    { provide: Database, inject: [typeOrmStorageOptions, namedDataSource, once.provide], useFactory: connect },
    alias(Database),
    StorageHealth,
  ],
  exports: [Database, alias(Database).provide, StorageHealth],
})
export class TypeOrmStorageModule
  extends ConfigurableModuleClass
  implements OnApplicationBootstrap, OnApplicationShutdown
{
  constructor(
    private readonly database: Database,
    @Inject(typeOrmStorageOptions) private readonly options: TypeOrmStorageOptions,
  ) {
    super();
  }

  onApplicationBootstrap(): void {
    this.database.isStarting = false;
  }

  /** Close only connections opened here. */
  async onApplicationShutdown(): Promise<void> {
    if (this.options.url !== undefined) await this.database.close();
  }
}

async function connect(options: TypeOrmStorageOptions, named: DataSource | undefined): Promise<Database> {
  const { url, migrations = true } = options;
  const database = await databaseOf(options, named);
  database.isStarting = true;
  const logger = new Logger(TypeOrmStorageModule.name);
  if (migrations) {
    const names = await applied(database, url);
    if (names.length > 0) logger.log(`Applied ${names.length} migrations: ${names.join(', ')}`);
  } else await assertUpToDate(database.dataSource);
  logger.log(`Database: ${database.constructor.name}`);
  const journal = await sqliteJournal(database);
  if (journal?.hasBug && journal.mode === 'wal') logger.warn(walAtRisk(journal.version));
  return database;
}

/** Applies only to a data source of the host's: Rookery's own uses another mode in this case. */
const walAtRisk = (version: string): string =>
  `SQLite ${version} can corrupt a database in WAL mode that several processes write. With more than one process, use a ` +
  'newer Node, with SQLite 3.51.3 or later, or leave `enableWAL` out of the options of the data source';

async function applied({ dataSource }: Database, url: string | undefined): Promise<readonly string[]> {
  try {
    return await migrate(dataSource);
  } catch (error) {
    if (url === undefined) throw error;
    await dataSource.destroy();
    throw unavailable(url, error);
  }
}

async function databaseOf(
  { url, listenUrl, dataSource, poolSize }: TypeOrmStorageOptions,
  named: DataSource | undefined,
): Promise<Database> {
  if (url !== undefined) return openDatabase(url, poolSize, listenUrl);
  const given = dataSource ?? named;
  if (given) return databaseOn(given.isInitialized ? given : await given.initialize());
  throw new Error(
    "TypeOrmStorageModule: name a url, a dataSource or a dataSourceName: forRoot({ url: 'sqlite:data/rookery.db' })",
  );
}

async function assertUpToDate(dataSource: DataSource): Promise<void> {
  const pending = await pendingMigrations(dataSource);
  if (pending.length > 0)
    throw new Error(
      `TypeOrmStorageModule: the database lacks ${pending.join(', ')}. Call migrate(dataSource), or set migrations: true`,
    );
}
