import { type Style, styled } from './colour.js';
import { type JsonOptions, selectedLines } from './query.js';
import { type Cell, tableLines } from './table.js';
import { visible, visibleLines } from '../../server/src/visible-text.js';

/** Prints one line of output, whatever characters it contains. */
export const print = (line: string): void => void process.stdout.write(`${visible(line)}\n`);

/** Prints a text of several lines that we wrote ourselves. */
export const printText = (text: string): void => void process.stdout.write(`${text}\n`);

/** Prints a value for scripts and people: indented JSON, or what a query selects from it. */
export function printJson(value: unknown, query?: string): void {
  if (query === undefined) printText(visibleLines(JSON.stringify(value, undefined, 2)));
  else for (const line of selectedLines(value, query)) print(line);
}

/** Prints a line that begins with a mark of ours, which is coloured on a terminal. */
export const printMarked = (style: Style | undefined, mark: string, line: string): void =>
  printText(`${styled(style, mark)}${visible(line)}`);

/** Prints a line to stderr, where it does not disturb scripts. */
export const tell = (line: string): void => void process.stderr.write(`${visible(line)}\n`);

/** Prints a failure to stderr. */
export const tellFault = (line: string): void =>
  void process.stderr.write(`${styled('red', 'rookery:', process.stderr)} ${visible(line)}\n`);

/** Prints rows as JSON, or as a table with those columns. */
export function printList<Row>(
  rows: readonly Row[],
  columns: Readonly<Record<string, (row: Row) => Cell>>,
  { json, query, empty }: JsonOptions & { readonly empty: string },
): void {
  const cells = Object.values(columns);
  if (json) printJson(rows, query);
  else if (rows.length === 0) print(empty);
  else
    printTable(
      Object.keys(columns),
      rows.map((row) => cells.map((cell) => cell(row))),
    );
}

/** Writes rows under headings, within the width of the terminal; a pipe or file gets them whole. */
export function printTable(headings: readonly string[], rows: readonly (readonly Cell[])[]): void {
  const { isTTY, columns } = process.stdout;
  for (const line of tableLines(headings, rows, isTTY ? columns : undefined)) printText(line);
}
