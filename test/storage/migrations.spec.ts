import { expect, it } from 'vitest';
import { migrate, openDatabase, pendingMigrations, rookeryMigrations } from 'rookery/typeorm';
import { describeDatabases } from '../support/databases.js';

describeDatabases('the migrations', ({ database, url }) => {
  it('make the tables that the entities describe: nothing drifts', async () => {
    const { upQueries } = await database().dataSource.driver.createSchemaBuilder().log();
    expect(upQueries.map(({ query }) => query)).toEqual([]);
  });

  it('are applied once, also by processes that start together', async () => {
    const names = rookeryMigrations.map(({ name }) => name);
    await undoAll();
    expect(await pendingMigrations(database().dataSource)).toEqual(names);
    const others = await Promise.all([openDatabase(url()), openDatabase(url()), openDatabase(url())]);
    const applied = await Promise.all(others.map(({ dataSource }) => migrate(dataSource)));
    expect(applied.flat()).toEqual(names);
    expect(await pendingMigrations(database().dataSource)).toEqual([]);
    await Promise.all(others.map(({ dataSource }) => dataSource.destroy()));
  });

  it('stand in the order of their timestamps', () => {
    const times = rookeryMigrations.map(({ name }) => Number(name.slice(-13)));
    expect(times).toEqual(times.toSorted((a, b) => a - b));
  });

  it('can be undone and applied again', async () => {
    await undoAll();
    const runner = database().dataSource.createQueryRunner();
    for (const { tableName } of database().dataSource.entityMetadatas)
      expect([tableName, await runner.hasTable(tableName)]).toEqual([tableName, false]);
    await runner.release();
    await migrate(database().dataSource);
  });

  async function undoAll() {
    const runner = database().dataSource.createQueryRunner();
    for (const migration of rookeryMigrations.toReversed()) await new migration().down(runner);
    await runner.dropTable('rookery_migrations', true);
    await runner.release();
  }
});
