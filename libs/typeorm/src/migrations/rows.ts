import type { QueryRunner } from 'typeorm';
import { dataSourceOf } from '../database/data-source-of.js';
import { inSchemaOf } from '../database/schema.js';

const rowsAtOnce = 200;

export type Row = Readonly<Record<string, unknown>>;

/** The statements of a migration, which both databases understand. Parameters are written as `?`. */
export class Rows {
  private readonly isPostgres: boolean;
  private readonly inSchema: (text: string) => string;

  constructor(private readonly runner: QueryRunner) {
    const dataSource = dataSourceOf(runner);
    this.isPostgres = dataSource.options.type === 'postgres';
    this.inSchema = inSchemaOf(dataSource);
  }

  async run(text: string, parameters: readonly unknown[] = []): Promise<readonly unknown[]> {
    let count = 0;
    const numbered = this.isPostgres ? text.replaceAll('?', () => `$${++count}`) : text;
    const { records } = await this.runner.query(this.inSchema(numbered), [...parameters], true);
    return (records ?? []) as readonly unknown[];
  }

  /** Turns each row of a table into rows of other tables, then drops the table. */
  async move<Old extends Row>(
    from: string,
    key: keyof Old & string,
    made: (row: Old) => Readonly<Record<string, Row>>,
  ): Promise<void> {
    for (let page = await this.page<Old>(from, key); page.length > 0; page = await this.page(from, key, page.at(-1)))
      for (const [table, rows] of byTable(page.map(made))) await this.insert(table, rows);
    await this.run(`DROP TABLE ${from}`);
  }

  private async page<Old extends Row>(table: string, key: keyof Old & string, after?: Old): Promise<readonly Old[]> {
    const rest = after ? `WHERE ${key} > ?` : '';
    const text = `SELECT * FROM ${table} ${rest} ORDER BY ${key} LIMIT ${rowsAtOnce}`;
    // The caller names the columns of the table.
    return (await this.run(text, after ? [after[key]] : [])) as readonly Old[];
  }

  /** All rows have the same columns. */
  private async insert(table: string, rows: readonly Row[]): Promise<void> {
    const columns = Object.keys(rows[0]!);
    const values = rows.map(() => `(${columns.map(() => '?').join(', ')})`).join(', ');
    const parameters = rows.flatMap((row) => columns.map((column) => row[column]));
    await this.run(`INSERT INTO ${table} (${columns.join(', ')}) VALUES ${values}`, parameters);
  }
}

function byTable(made: readonly Readonly<Record<string, Row>>[]): ReadonlyMap<string, readonly Row[]> {
  const tables = new Map<string, Row[]>();
  for (const [table, row] of made.flatMap((each) => Object.entries(each))) {
    const rows = tables.get(table);
    if (rows) rows.push(row);
    else tables.set(table, [row]);
  }
  return tables;
}
