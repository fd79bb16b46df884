import type { DataSource, QueryRunner } from 'typeorm';

/** TypeORM 0.3 calls it `connection`. */
export const dataSourceOf = (runner: QueryRunner): DataSource =>
  (runner as Partial<QueryRunner>).dataSource ?? runner.connection;
