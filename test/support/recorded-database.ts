import { Database, type Statement, type Work } from 'rookery/internal/typeorm';

/** Remembers the statements that go through it to the database behind it. */
export class RecordedDatabase extends Database {
  readonly dialect;
  readonly statements: Statement[] = [];

  constructor(private readonly behind: Database) {
    super(behind.dataSource);
    this.dialect = behind.dialect;
  }

  read<Row>(text: string, parameters: readonly unknown[] = []): Promise<readonly Row[]> {
    this.statements.push({ text, parameters });
    return this.behind.read<Row>(text, parameters);
  }

  write<T>(work: () => Work<T>): Promise<T> {
    return this.behind.write(() => this.recorded(work()));
  }

  /** How the database goes about a statement, line by line, and which of its own tables it reads as a whole. */
  async plan({ text, parameters }: Statement): Promise<{ readonly lines: string[]; readonly readWhole: string[] }> {
    const isPostgres = this.dialect.name === 'postgres';
    // PostgreSQL plans the steps of a recursion when it runs.
    const options = text.startsWith('WITH RECURSIVE') ? 'COSTS OFF, ANALYZE, TIMING OFF' : 'COSTS OFF';
    const explain = isPostgres ? `EXPLAIN (${options}) ` : 'EXPLAIN QUERY PLAN ';
    const rows = await this.behind.read<Record<string, string>>(explain + text, parameters);
    const lines = rows.map((row) => row['QUERY PLAN'] ?? row['detail'] ?? '');
    return { lines, readWhole: lines.filter((line) => /(Seq Scan on|^SCAN) rookery_/.test(line)) };
  }

  private *recorded<T>(work: Work<T>): Work<T> {
    let step = work.next([]);
    while (!step.done) {
      this.statements.push(step.value);
      step = work.next(yield step.value);
    }
    return step.value;
  }
}
