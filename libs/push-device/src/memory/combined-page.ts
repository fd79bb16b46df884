import type { TargetInterests } from '../device.js';
import { mergedPage, type SortedIds } from './sorted-ids.js';
import { listed } from './stored-device.js';

/** A page of the ids that are in any list of `interests`, in all of `allOf` and in none of `noneOf`. */
export function combinedPage(
  byInterest: ReadonlyMap<string, SortedIds>,
  { interests, allOf = [], noneOf = [] }: TargetInterests,
  after: string,
  limit: number,
): readonly string[] {
  const required = [interests, ...allOf.map((name) => [name])].map((names) => listed(byInterest, names));
  const excluded = listed(byInterest, noneOf);
  // The fewest ids are read, and looked up in the other lists.
  const [fewest = [], ...others] = required.toSorted((one, other) => sizeOf(one) - sizeOf(other));
  const isIncluded = (id: string): boolean => others.every((lists) => isInAny(lists, id)) && !isInAny(excluded, id);

  const found: string[] = [];
  for (let place: string | undefined = after; place !== undefined && found.length < limit;) {
    const read: readonly string[] = mergedPage(fewest, place, limit);
    found.push(...read.filter(isIncluded));
    place = read.length === limit ? read.at(-1) : undefined;
  }
  return found.slice(0, limit);
}

const sizeOf = (lists: readonly SortedIds[]): number => lists.reduce((sum, { size }) => sum + size, 0);

const isInAny = (lists: readonly SortedIds[], id: string): boolean => lists.some((list) => list.has(id));
