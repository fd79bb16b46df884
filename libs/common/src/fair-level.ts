/**
 * How much each holder may have so that all have no more than `most` together: those with less keep all of it.
 * @example fairLevel([10, 20, 90], 100) // 70
 * @returns Infinity if they have no more already
 */
export function fairLevel(amounts: readonly number[], most: number): number {
  const ascending = amounts.toSorted((one, other) => one - other);
  let left = most;
  for (const [i, amount] of ascending.entries()) {
    const share = left / (ascending.length - i);
    if (amount > share) return share;
    left -= amount;
  }
  return Infinity;
}
