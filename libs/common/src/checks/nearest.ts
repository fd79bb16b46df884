/** The probably intended name: the one with the smallest edit distance, if it is similar at all. */
export function nearest(name: string, known: readonly string[]): string | undefined {
  const [best] = known
    .map((each) => ({ each, edits: distance(name.toLowerCase(), each.toLowerCase()) }))
    .filter(({ each, edits }) => edits <= Math.max(1, Math.min(name.length, each.length) / 3))
    .sort((one, other) => one.edits - other.edits);
  return best?.each;
}

/** The edit distance: letters inserted, removed or changed. */
function distance(from: string, to: string): number {
  let row = Array.from({ length: to.length + 1 }, (_, i) => i);
  for (const [i, letter] of [...from].entries()) {
    const next = [i + 1];
    for (const [j, other] of [...to].entries())
      next.push(Math.min(next[j]! + 1, row[j + 1]! + 1, row[j]! + (letter === other ? 0 : 1)));
    row = next;
  }
  return row[to.length]!;
}
