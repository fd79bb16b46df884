import type { QueryRunner } from 'typeorm';
import { dataSourceOf } from './data-source-of.js';
import { inSchema } from './schema.js';

/**
 * Runs statements on PostgreSQL only. It adds the schema to Rookery's names, because callers of the functions may have
 * another search path.
 */
export async function onPostgres(runner: QueryRunner, statements: readonly string[]): Promise<void> {
  const { options } = dataSourceOf(runner);
  if (options.type !== 'postgres') return;
  const qualified = inSchema(options.schema ?? (await currentSchema(runner)));
  for (const statement of statements) await runner.query(qualified(statement));
}

async function currentSchema(runner: QueryRunner): Promise<string> {
  const [row] = (await runner.query('SELECT current_schema() AS name')) as readonly { readonly name: string }[];
  return row!.name;
}
