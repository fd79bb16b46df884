/** Rows rendered beyond the visible ones, so that fast scrolling finds them ready. */
const beyond = 6;

/** The range of rows of equal height to render: from `first` on, before `last`. */
export function shownRows(
  top: number,
  height: number,
  rowHeight: number,
  count: number,
): { readonly first: number; readonly last: number } {
  const last = Math.min(count, Math.ceil((top + height) / rowHeight) + beyond);
  // Fewer rows than before may leave the list scrolled past their end for a moment.
  const first = Math.max(0, Math.min(Math.floor(top / rowHeight) - beyond, last - 1));
  return { first, last };
}
