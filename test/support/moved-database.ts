import { type Database, openDatabase } from 'rookery/internal/typeorm';

export interface Move {
  /** Added to each time in the database, in milliseconds. */
  readonly byMs: number;
  /** A time like those that are moved: others are a month away from it at most. */
  readonly near: number;
  /** What texts have in place of others. */
  readonly texts?: Readonly<Record<string, string>>;
}

type Value = string | number | boolean | null;

const month = 30 * 86_400_000;

/** Moves a database of any revision to another time and place. It knows no table: times are numbers, also in JSON. */
export async function moveDatabase(url: string, { byMs, near, texts = {} }: Move): Promise<void> {
  const moved = (time: number): number => (Math.abs(time - near) < month ? time + byMs : time);
  const movedValue = (value: Value): Value => {
    if (value === null || value === '' || typeof value === 'boolean') return value;
    if (typeof value === 'number') return moved(value);
    // PostgreSQL's bigints come as text.
    if (/^\d+$/.test(value)) return String(moved(Number(value)));
    let text = value;
    for (const [from, to] of Object.entries(texts)) text = text.replaceAll(from, to);
    // Values in JSON, but not those of JSON within it, and the place of a dead letter.
    return text.replaceAll(/(?<=[^\\]":|^00)\d{13}(?!\d)/g, (time) => String(moved(Number(time))));
  };
  const database = await openDatabase(url);
  for (const { name, keys, columns } of await tablesOf(database))
    for (const row of await database.read<Record<string, Value>>(`SELECT * FROM ${name}`)) {
      const assignments = columns.map((column) => `"${column}" = ?`).join(', ');
      const isIt = keys.map((key) => `"${key}" = ?`).join(' AND ');
      const values = columns.map((column) => movedValue(row[column]!));
      await database.execute(`UPDATE ${name} SET ${assignments} WHERE ${isIt}`, [
        ...values,
        ...keys.map((key) => row[key]),
      ]);
    }
  await database.dataSource.destroy();
}

/** How many rows each table has. */
export async function countRows(url: string): Promise<Readonly<Record<string, number>>> {
  const database = await openDatabase(url);
  const found: Record<string, number> = {};
  for (const { name } of await tablesOf(database)) {
    const [row] = await database.read<{ count: number | string }>(`SELECT COUNT(*) AS count FROM ${name}`);
    found[name] = Number(row!.count);
  }
  await database.dataSource.destroy();
  return found;
}

async function tablesOf({ dataSource }: Database) {
  const runner = dataSource.createQueryRunner();
  const tables = await runner.getTables();
  await runner.release();
  return tables
    .map(({ name, columns }) => ({
      name: name.replace(/^.*\./, ''),
      columns: columns.map((column) => column.name),
      keys: columns.flatMap((column) => (column.isPrimary ? [column.name] : [])),
    }))
    .filter(({ name }) => name.startsWith('rookery_') && name !== 'rookery_migrations');
}
