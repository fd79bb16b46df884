import type { DataSource } from 'typeorm';

/**
 * A host's PostgreSQL data source may name a schema for its tables. TypeORM creates Rookery's tables there too, so the
 * returned function adds the schema to their names in a statement.
 */
export function inSchemaOf({ options }: DataSource): (text: string) => string {
  const schema = options.type === 'postgres' ? options.schema : undefined;
  if (!schema) return (text) => text;
  return inSchema(schema);
}

/** Adds a schema to the names of Rookery's tables, sequences and functions. */
export function inSchema(schema: string): (text: string) => string {
  const prefix = `"${schema.replaceAll('"', '""')}".`;
  return (text) => text.replaceAll(/\brookery_[a-z]/g, (table) => prefix + table);
}
