import { run, type Work } from './statement.js';

/** Few lengths, so that there are few different statements to compile. */
const maxRows = 64;

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
    for (let from = 0, length = maxRows; from < rows.length; from += length) {
      while (length > rows.length - from) length /= 2;
      const values: unknown[] = [];
      for (let at = from; at < from + length; at++) values.push(...rows[at]!);
      yield* run(this.text(length, rows[from]!.length), values);
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
