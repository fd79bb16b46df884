import { DataSource, type Logger } from 'typeorm';
import { expect, it } from 'vitest';
import { databaseOn, dataSourceOptions, run } from 'rookery/internal/typeorm';
import { describeDatabases } from '../support/databases.js';

describeDatabases('The query log of an application', ({ url }) => {
  it('contains the statements of the application, and none of Rookery', async () => {
    const logged: string[] = [];
    const log = (text: unknown) => void logged.push(String(text));
    const logger: Logger = {
      logQuery: log,
      logQueryError: log,
      logQuerySlow: log,
      logSchemaBuild: log,
      logMigration: log,
      log,
    };
    const dataSource = await new DataSource({ ...dataSourceOptions(url()), logging: 'all', logger }).initialize();
    const database = await databaseOn(dataSource);
    logged.splice(0);
    await database.read('SELECT 1 AS one');
    await database.execute('DELETE FROM rookery_jobs');
    await database.write(() => run('DELETE FROM rookery_jobs'));
    await expect(database.write(() => run('SELECT nothing'))).rejects.toThrow();
    expect(logged).toEqual([]);
    await dataSource.query('SELECT 2 AS two');
    expect(logged).toEqual(['SELECT 2 AS two']);
    await dataSource.destroy();
  });
});
