import truncated from 'fast-string-truncated-width';
import { type Style, styled } from './colour.js';
import { visible } from '../../server/src/visible-text.js';

/** A cell of a table: its text, and its colour on a terminal. */
export type Cell = string | { readonly text: string; readonly style: Style | undefined };

const gap = '   ';
/** A column with less would show nothing of use. */
const least = 4;

const widthOf = (text: string): number => truncated(text).width;

/**
 * The lines of rows under headings, each column as wide as its widest cell. Where the terminal is narrower, the widest
 * columns are cut; the first one, which names the row, is the last to be.
 * @param available the terminal's columns; undefined where nothing is to be cut
 */
export function tableLines(
  headings: readonly string[],
  rows: readonly (readonly Cell[])[],
  available: number | undefined,
): readonly string[] {
  const head = headings.map((text) => ({ text, style: 'bold' as const }));
  const all = [head, ...rows.map((row) => row.map((cell) => (typeof cell === 'string' ? { text: cell } : cell)))].map(
    (row) => row.map(({ text, ...cell }) => ({ style: undefined, ...cell, text: visible(text) })),
  );
  const natural = headings.map((_, column) => Math.max(...all.map((row) => widthOf(row[column]?.text ?? ''))));
  const widths = fitted(natural, available);
  return all.map((row) => {
    const last = row.findLastIndex(({ text }) => text !== '');
    const cells = row.slice(0, last + 1).map(({ text, style }, column) => {
      const width = widths[column]!;
      const shown = cut(text, width);
      return styled(style, shown) + ' '.repeat(column === last ? 0 : width - widthOf(shown));
    });
    return cells.join(gap);
  });
}

/** The widths of columns within `available` terminal columns; as they are without a limit. */
export function fitted(widths: readonly number[], available: number | undefined): readonly number[] {
  if (available === undefined) return widths;
  const room = available - gap.length * (widths.length - 1);
  const capped = (most: number, ofFirst = Infinity) =>
    widths.map((width, column) => Math.min(width, column === 0 ? ofFirst : most));
  const fits = (all: readonly number[]): boolean => all.reduce((sum, width) => sum + width, 0) <= room;
  // As wide as they may be, at equal cost to all that are cut.
  for (let most = Math.max(...widths); most >= least; most--) if (fits(capped(most))) return capped(most);
  const [first = 0, ...others] = capped(least);
  return [Math.max(least, Math.min(first, room - others.reduce((sum, width) => sum + width, 0))), ...others];
}

function cut(text: string, width: number): string {
  const { index, ellipsed } = truncated(text, { limit: width, ellipsis: '…', ellipsisWidth: 1 });
  return ellipsed ? `${text.slice(0, index)}…` : text;
}
