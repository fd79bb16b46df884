import type { Device } from '../device.js';
import type { SortedIds } from './sorted-ids.js';

/** A device as stored in memory. */
export type StoredDevice = { -readonly [Field in keyof Device]: Device[Field] } & {
  readonly interests: Set<string>;
  seenAt?: number;
};

/** The list of a key, created if missing. */
export function listOf(lists: Map<string, SortedIds>, key: string, create: () => SortedIds): SortedIds {
  const list = lists.get(key) ?? create();
  lists.set(key, list);
  return list;
}

/** The lists of those keys that have one. */
export const listed = (lists: ReadonlyMap<string, SortedIds>, keys: readonly string[]): readonly SortedIds[] =>
  keys.flatMap((key) => lists.get(key) ?? []);

/** Removes an id from a key's list, and the list once it is empty. */
export function unlist(lists: Map<string, SortedIds>, key: string, id: string): void {
  const list = lists.get(key);
  list?.remove(id);
  if (list?.size === 0) lists.delete(key);
}
