/** Replaces a range of a text; an insertion if the range is empty. */
export interface Edit {
  readonly start: number;
  readonly end: number;
  readonly text: string;
}

export const insertion = (at: number, text: string): Edit => ({ start: at, end: at, text });

/** The text after all edits, which may touch but not overlap. Insertions at one position keep their order. */
export const edited = (text: string, edits: readonly Edit[]): string =>
  edits
    .toReversed()
    .toSorted((a, b) => b.start - a.start || b.end - a.end)
    .reduce((sum, { start, end, text: by }) => sum.slice(0, start) + by + sum.slice(end), text);
