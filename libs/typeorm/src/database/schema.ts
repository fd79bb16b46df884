import type { DataSource } from 'typeorm';

/**
 * A host's PostgreSQL data source may name a schema for its tables. TypeORM makes Rookery's there too, so statements must
 * look for them there: the answer puts the schema before the names of Rookery's tables.
 */
export function inSchemaOf({ options }: DataSource): (text: string) => string {
  const schema = options.type === 'postgres' ? options.schema : undefined;
  if (!schema) return (text) => text;
  return inSchema(schema);
}

/** Puts a schema before the names of Rookery's tables, sequences and functions. */
export function inSchema(schema: string): (text: string) => string {
  const prefix = `"${schema.replaceAll('"', '""')}".`;
  return (text) => text.replaceAll(/\brookery_[a-z]/g, (table) => prefix + table);
}
