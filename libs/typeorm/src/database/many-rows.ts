import { run, type Work } from './statement.js';

/** Few lengths, so that there are few different statements to compile. */
const mostRows = 64;

/** Inserts rows with as few statements as possible: `insert` ends before VALUES, and `conflict` follows the rows. */
export function* insertRows(insert: string, rows: readonly (readonly unknown[])[], conflict = ''): Work<void> {
  for (let from = 0, length = mostRows; from < rows.length; from += length) {
    while (length > rows.length - from) length /= 2;
    const some = rows.slice(from, from + length);
    const places = `(${some[0]!.map(() => '?').join(', ')})`;
    yield* run(`${insert} VALUES ${some.map(() => places).join(', ')} ${conflict}`, some.flat());
  }
}
