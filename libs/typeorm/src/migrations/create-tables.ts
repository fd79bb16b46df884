import { DataSource, type QueryRunner, Table, TableForeignKey } from 'typeorm';
import { dataSourceOf } from '../database/data-source-of.js';
import { rookeryEntities } from '../entities.js';
import { createMessages } from '../cluster/broker/message-table.js';
import { createSharedState } from '../cluster/shared/shared-tables.js';
import { orderCommits } from './commit-order.js';
import { createFunctions } from './sql-functions.js';

/** Creates missing tables as their entities describe them, and PostgreSQL's functions and triggers. */
export async function createTables(runner: QueryRunner): Promise<void> {
  await createMissingTables(runner);
  await orderCommits(runner);
  await createFunctions(runner);
  await createMessages(runner);
  await createSharedState(runner);
}

/** The step to a release that has more tables. */
export async function createMissingTables(runner: QueryRunner): Promise<void> {
  const described = new Described(dataSourceOf(runner));
  const ifMissing = true;
  for (const table of await described.tables()) await runner.createTable(table, ifMissing);
}

/**
 * TypeORM's description of the tables. It never connects. The host's data source may lack the entities, and the host's
 * own table prefixes and naming do not apply.
 */
class Described extends DataSource {
  constructor({ options }: DataSource) {
    const own = { entities: [...rookeryEntities], subscribers: [], migrations: [] };
    super({ ...options, ...own, entityPrefix: '', namingStrategy: undefined });
  }

  async tables(): Promise<readonly Table[]> {
    await this.buildMetadatas();
    return this.entityMetadatas.map((metadata) => {
      const table = Table.create(metadata, this.driver);
      // SQLite compares bytes anyway, and has no collation of this name.
      if (this.options.type !== 'postgres') for (const column of table.columns) column.collation = undefined;
      table.foreignKeys = metadata.foreignKeys.map((key) => TableForeignKey.create(key, this.driver));
      return table;
    });
  }
}
