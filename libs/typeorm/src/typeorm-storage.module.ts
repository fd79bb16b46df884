import { ConfigurableModuleBuilder, Inject, Logger, Module, type OnApplicationShutdown } from '@nestjs/common';
import { ModuleRef } from '@nestjs/core';
import type { DataSource } from 'typeorm';
import { Database } from './database/database.js';
import { databaseOn, openDatabase } from './database/open.js';
import { migrate, pendingMigrations } from './migrations/migrate.js';

/** Where Rookery's tables are; name one of the first three. */
export interface TypeOrmStorageOptions {
  /** A database of Rookery's own: `sqlite:data/rookery.db` or `postgres://user:password@host/database`. */
  readonly url?: string;
  /** A data source of the host's. */
  readonly dataSource?: DataSource;
  /** The name of a data source that the host gave to `TypeOrmModule` of @nestjs/typeorm; `default` is the unnamed. */
  readonly dataSourceName?: string;
  /** Connections of the pool to PostgreSQL, when `url` names it. @default 10 */
  readonly poolSize?: number;
  /** Bring the tables up to date at boot; otherwise a table that is missing fails the boot. @default true */
  readonly migrations?: boolean;
}

/** Injection token of the module's options. */
export const typeOrmStorageOptions = Symbol('TypeOrmStorageOptions');

const { ConfigurableModuleClass } = new ConfigurableModuleBuilder<TypeOrmStorageOptions>({
  optionsInjectionToken: typeOrmStorageOptions,
})
  .setClassMethodName('forRoot')
  .setExtras({}, (module) => ({ ...module, global: true }))
  .build();

/** The {@link Database} that the TypeORM repositories and outboxes inject. */
@Module({
  providers: [{ provide: Database, inject: [typeOrmStorageOptions, ModuleRef], useFactory: connect }],
  exports: [Database],
})
export class TypeOrmStorageModule extends ConfigurableModuleClass implements OnApplicationShutdown {
  constructor(
    private readonly database: Database,
    @Inject(typeOrmStorageOptions) private readonly options: TypeOrmStorageOptions,
  ) {
    super();
  }

  /** Only what was opened here is closed here. */
  async onApplicationShutdown(): Promise<void> {
    if (this.options.url !== undefined) await this.database.dataSource.destroy();
  }
}

async function connect(options: TypeOrmStorageOptions, modules: ModuleRef): Promise<Database> {
  const database = await databaseOf(options, modules);
  const logger = new Logger(TypeOrmStorageModule.name);
  if (options.migrations ?? true) {
    for (const name of await migrate(database.dataSource)) logger.log(`Applied the migration ${name}`);
  } else await assertUpToDate(database.dataSource);
  logger.log(`Database: ${database.constructor.name}`);
  return database;
}

async function databaseOf(options: TypeOrmStorageOptions, modules: ModuleRef): Promise<Database> {
  const { url, dataSource, dataSourceName, poolSize } = options;
  if (url !== undefined) return openDatabase(url, poolSize);
  if (dataSource) return databaseOn(dataSource.isInitialized ? dataSource : await dataSource.initialize());
  if (dataSourceName !== undefined) return databaseOn(await named(dataSourceName, modules));
  throw new Error(
    "TypeOrmStorageModule: name a url, a dataSource or a dataSourceName: forRoot({ url: 'sqlite:data/rookery.db' })",
  );
}

/** @nestjs/typeorm is only needed here. */
async function named(name: string, modules: ModuleRef): Promise<DataSource> {
  const { getDataSourceToken } = await import('@nestjs/typeorm');
  return modules.get<DataSource>(getDataSourceToken(name), { strict: false });
}

async function assertUpToDate(dataSource: DataSource): Promise<void> {
  const pending = await pendingMigrations(dataSource);
  if (pending.length > 0)
    throw new Error(
      `TypeOrmStorageModule: the database lacks ${pending.join(', ')}. Call migrate(dataSource), or set migrations: true`,
    );
}
