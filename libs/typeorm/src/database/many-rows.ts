import { run, type Work } from './statement.js';

/** Each number of rows is a statement of its own, which stays compiled. */
const maxRows = 32;

/** An INSERT of any number of rows, in as few statements as possible. */
export class Insertion {
  /** By the number of rows. */
  private readonly texts: string[] = [];

  /**
   * @param beginning what comes before VALUES
   * @param end what follows the rows
   */
  constructor(
    private readonly beginning: string,
    private readonly end = '',
  ) {}

  *rows(rows: readonly (readonly unknown[])[]): Work<void> {
    for (let from = 0; from < rows.length; from += maxRows) {
      const end = Math.min(from + maxRows, rows.length);
      const values: unknown[] = [];
      for (let at = from; at < end; at++) for (const value of rows[at]!) values.push(value);
      yield* run(this.text(end - from, rows[from]!.length), values);
    }
  }

  private text(rows: number, columns: number): string {
    return (this.texts[rows] ??= `${this.beginning} VALUES ${places(rows, columns)} ${this.end}`);
  }
}

function places(rows: number, columns: number): string {
  const row = `(${Array.from({ length: columns }, () => '?').join(', ')})`;
  return Array.from({ length: rows }, () => row).join(', ');
}
