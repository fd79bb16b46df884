import { DataSource } from 'typeorm';
import { expect, it } from 'vitest';
import { migrate, openDatabase, pendingMigrations } from 'rookery/typeorm';
import { describeDatabases } from '../support/databases.js';

describeDatabases('the tables of a new database', ({ database, url }) => {
  it('match the entities', async () => {
    const { upQueries } = await database().dataSource.driver.createSchemaBuilder().log();
    expect(upQueries.map(({ query }) => query)).toEqual([]);
  });

  it('are created once, even by processes that start together', async () => {
    await dropAll();
    const names = await pendingMigrations(database().dataSource);
    expect(names).not.toEqual([]);
    const others = await Promise.all([openDatabase(url()), openDatabase(url()), openDatabase(url())]);
    const applied = await Promise.all(others.map(({ dataSource }) => migrate(dataSource)));
    expect(applied.flat()).toEqual(names);
    expect(await pendingMigrations(database().dataSource)).toEqual([]);
    await Promise.all(others.map(({ dataSource }) => dataSource.destroy()));
  });

  it('keep their names in a data source of a host with a table prefix and none of the entities', async () => {
    await dropAll();
    const { options } = database().dataSource;
    const host = await new DataSource({ ...options, entityPrefix: 'host_', entities: [] }).initialize();
    await migrate(host);
    await host.destroy();
    expect(await database().read('SELECT * FROM rookery_jobs')).toEqual([]);
    expect(await pendingMigrations(database().dataSource)).toEqual([]);
  });

  it.each([
    ['KeepEvents', ['event_order', 'histories', 'kept_events', 'remembered_events', 'sessions']],
    ['KeepLiveActivities', ['broadcast_channels', 'start_tokens']],
    ['PartSessions', ['session_positions']],
  ])('are added to those of the first release by %s', async (name, added) => {
    for (const table of added) await database().dataSource.query(`DROP TABLE rookery_${table}`);
    await database().execute(`DELETE FROM rookery_migrations WHERE name LIKE '${name}%'`);
    expect(await migrate(database().dataSource)).toEqual([expect.stringMatching(new RegExp(`^${name}\\d+$`))]);
    const { upQueries } = await database().dataSource.driver.createSchemaBuilder().log();
    expect(upQueries.map(({ query }) => query)).toEqual([]);
  });

  it('get the columns that PartSessions adds', async () => {
    await database().execute('DROP TABLE rookery_session_positions');
    await database().execute('ALTER TABLE rookery_sessions DROP COLUMN bytes');
    await database().execute("DELETE FROM rookery_migrations WHERE name LIKE 'PartSessions%'");
    await migrate(database().dataSource);
    const { upQueries } = await database().dataSource.driver.createSchemaBuilder().log();
    expect(upQueries.map(({ query }) => query)).toEqual([]);
  });

  it('are used unchanged if a later release has migrated them', async () => {
    await database().execute("INSERT INTO rookery_migrations (name, applied_at) VALUES ('Later1999000000000', '')");
    expect(await pendingMigrations(database().dataSource)).toEqual([]);
    expect(await migrate(database().dataSource)).toEqual([]);
  });

  async function dropAll() {
    const runner = database().dataSource.createQueryRunner();
    const names = database().dataSource.entityMetadatas.map(({ tableName }) => tableName);
    // Those that refer to others go first.
    for (const name of [...names.toReversed(), ...names, 'rookery_migrations']) await dropIfUnreferenced(name);
    await runner.release();

    async function dropIfUnreferenced(name: string): Promise<void> {
      const cascade = database().dialect.name === 'postgres' ? 'CASCADE' : '';
      await runner.query(`DROP TABLE IF EXISTS ${name} ${cascade}`);
    }
  }
});
