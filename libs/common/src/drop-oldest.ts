/** Bounds a Map or Set that is filled in the order of time: drops the oldest entries beyond `most`. */
export function dropOldest(kept: Map<unknown, unknown> | Set<unknown>, most: number): void {
  if (kept.size <= most) return;
  for (const oldest of kept.keys()) {
    kept.delete(oldest);
    if (kept.size <= most) return;
  }
}
