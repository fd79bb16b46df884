/** How many run at a time. */
const inGroup = 250;

/**
 * Does the work for all items in order, a group of them at a time, without waiting for one before the next of its group.
 * A node may leave 50,000 members behind: announcing all in one turn of the event loop would delay everything else.
 * @throws the first failure, when all have been tried
 */
export async function inGroups<Item>(items: readonly Item[], work: (item: Item) => Promise<void>): Promise<void> {
  const failures: unknown[] = [];
  for (let at = 0; at < items.length; at += inGroup) {
    const settled = await Promise.allSettled(items.slice(at, at + inGroup).map(work));
    for (const each of settled) if (each.status === 'rejected') failures.push(each.reason);
  }
  if (failures.length > 0) throw failures[0];
}
