/**
 * By how much values grow from one to the next: the median of the slopes between all pairs (Theil and Sen), so that one
 * step or a few outliers do not count as growth.
 */
export function slopeOf(values: readonly number[]): number {
  const slopes = values.flatMap((value, index) =>
    values.slice(index + 1).map((later, distance) => (later - value) / (distance + 1)),
  );
  return slopes.sort((a, b) => a - b)[Math.floor(slopes.length / 2)] ?? 0;
}
