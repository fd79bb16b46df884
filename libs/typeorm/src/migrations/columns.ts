import type { QueryRunner, TableColumnOptions } from 'typeorm';
import { dataSourceOf } from '../database/data-source-of.js';

/** Columns as a migration writes them, once for both databases. */
export function columnsFor(runner: QueryRunner) {
  // SQLite compares bytes anyway. PostgreSQL would follow the database's language, slower and in another order.
  const collation = dataSourceOf(runner).options.type === 'postgres' ? 'C' : undefined;
  return {
    text: (name: string, options: Partial<TableColumnOptions> = {}): TableColumnOptions => ({
      name,
      type: 'text',
      collation,
      ...options,
    }),
    bigint: (name: string, options: Partial<TableColumnOptions> = {}): TableColumnOptions => ({
      name,
      type: 'bigint',
      ...options,
    }),
  };
}
