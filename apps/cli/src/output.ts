import { type Style, styled } from './colour.js';
import { visible, visibleLines } from '../../server/src/visible-text.js';

/** Prints one line of output, whatever characters it contains. */
export const print = (line: string): void => void process.stdout.write(`${visible(line)}\n`);

/** Prints a text of several lines that we wrote ourselves. */
export const printText = (text: string): void => void process.stdout.write(`${text}\n`);

/** Prints a value for scripts and people: indented JSON. */
export const printJson = (value: unknown): void => printText(visibleLines(JSON.stringify(value, undefined, 2)));

/** Prints a line that begins with a mark of ours, which is coloured on a terminal. */
export const printMarked = (style: Style, mark: string, line: string): void =>
  printText(`${styled(style, mark)}${visible(line)}`);

/** Prints a line to stderr, where it does not disturb scripts. */
export const tell = (line: string): void => void process.stderr.write(`${visible(line)}\n`);

/** Prints a failure to stderr. */
export const tellFault = (line: string): void =>
  void process.stderr.write(`${styled('red', 'rookery:', process.stderr)} ${visible(line)}\n`);

/** Prints rows as JSON, or as a table with those columns. */
export function printList<Row>(
  rows: readonly Row[],
  columns: Readonly<Record<string, (row: Row) => string>>,
  { json, empty }: { readonly json: boolean | undefined; readonly empty: string },
): void {
  const cells = Object.values(columns);
  if (json) printJson(rows);
  else if (rows.length === 0) print(empty);
  else
    printTable(
      Object.keys(columns),
      rows.map((row) => cells.map((cell) => cell(row))),
    );
}

/** Writes rows under headings, each column as wide as its widest cell. */
export function printTable(headings: readonly string[], rows: readonly (readonly string[])[]): void {
  const [head, ...body] = [headings, ...rows].map((row) => row.map(visible)) as [string[], ...string[][]];
  const all = [head, ...body];
  const widths = headings.map((_, column) => all.reduce((most, row) => Math.max(most, row[column]?.length ?? 0), 0));
  const lineOf = (row: readonly string[]): string =>
    row
      .map((cell, column) => cell.padEnd(widths[column]!))
      .join('   ')
      .trimEnd();
  printText(styled('bold', lineOf(head)));
  for (const row of body) printText(lineOf(row));
}
