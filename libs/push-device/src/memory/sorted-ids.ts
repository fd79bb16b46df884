/** Unique ids in ascending order. */
export class SortedIds {
  private readonly ids: string[] = [];

  get size(): number {
    return this.ids.length;
  }

  add(id: string): void {
    const at = this.firstFrom(id);
    if (this.ids[at] !== id) this.ids.splice(at, 0, id);
  }

  remove(id: string): void {
    const at = this.firstFrom(id);
    if (this.ids[at] === id) this.ids.splice(at, 1);
  }

  has(id: string): boolean {
    return this.ids[this.firstFrom(id)] === id;
  }

  /** At most `limit` ids greater than `after`. */
  page(after: string, limit: number): readonly string[] {
    const at = this.firstFrom(after);
    const from = this.ids[at] === after ? at + 1 : at;
    return this.ids.slice(from, from + limit);
  }

  /** The index of the first id that is not less than the given one. */
  private firstFrom(id: string): number {
    let low = 0;
    let high = this.ids.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (this.ids[middle]! < id) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}

/** The first `limit` ids greater than `after` of all lists together, each once. */
export function mergedPage(lists: readonly SortedIds[], after: string, limit: number): readonly string[] {
  const ids = new Set(lists.flatMap((list) => list.page(after, limit)));
  return [...ids].sort().slice(0, limit);
}
