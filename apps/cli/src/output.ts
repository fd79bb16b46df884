/** Writes a line for whoever called. */
export const print = (line: string): void => void process.stdout.write(`${line}\n`);

/** Writes a value for a script: JSON, as people can read it too. */
export const printJson = (value: unknown): void => print(JSON.stringify(value, undefined, 2));

/** Writes a line beside the output: it does not stand in the way of a script. */
export const tell = (line: string): void => void process.stderr.write(`${line}\n`);

/** Rows under headings, each column as wide as its widest cell. */
export function table(headings: readonly string[], rows: readonly (readonly string[])[]): string {
  const all = [headings, ...rows];
  const widths = headings.map((_, column) => Math.max(...all.map((row) => (row[column] ?? '').length)));
  return all
    .map((row) =>
      row
        .map((cell, column) => cell.padEnd(widths[column]!))
        .join('   ')
        .trimEnd(),
    )
    .join('\n');
}
