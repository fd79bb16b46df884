import { type Document, DocumentStore, type Write } from './document.store.js';

interface Kept extends Document<unknown> {
  readonly expiresAt: number;
}

/** Documents in memory: gone when the process ends. */
export class MemoryStore extends DocumentStore {
  private readonly documents = new Map<string, Kept>();
  /** In their order. */
  private readonly ids: string[] = [];
  private version = 0;
  private writesSinceSweep = 0;

  async read<Value>(id: string): Promise<Document<Value> | undefined> {
    return this.living(id) as Document<Value> | undefined;
  }

  async list<Value>(prefix: string, after = '', limit = Infinity): Promise<readonly Document<Value>[]> {
    const found: Document<Value>[] = [];
    const first = prefix + after;
    for (let index = this.indexOf(first); index < this.ids.length && found.length < limit; index += 1) {
      const id = this.ids[index]!;
      if (!id.startsWith(prefix)) break;
      const document = after !== '' && id === first ? undefined : this.living(id);
      if (document) found.push(document as Document<Value>);
    }
    return found;
  }

  /** Nothing is awaited between the check and the writes, so no other call comes in between. */
  async commit(seen: ReadonlyMap<string, number>, writes: readonly Write[]): Promise<boolean> {
    for (const [id, version] of seen) if ((this.living(id)?.version ?? 0) !== version) return false;
    this.apply(writes);
    await this.keep(writes);
    return true;
  }

  /** Makes writes durable, and all that were made before. */
  protected async keep(_writes: readonly Write[]): Promise<void> {}

  protected apply(writes: readonly Write[]): void {
    for (const { id, value, expiresAt = Infinity } of writes) {
      const isKnown = this.documents.has(id);
      if (value === undefined) this.drop(id);
      else {
        if (!isKnown) this.ids.splice(this.indexOf(id), 0, id);
        this.documents.set(id, { id, version: ++this.version, value: JSON.parse(JSON.stringify(value)), expiresAt });
      }
    }
    this.writesSinceSweep += writes.length;
    if (this.writesSinceSweep > this.documents.size + 1000) this.sweep();
  }

  /** The writes that restore all documents. */
  protected all(): readonly Write[] {
    return [...this.documents.values()].map(({ id, value, expiresAt }) =>
      expiresAt === Infinity ? { id, value } : { id, value, expiresAt },
    );
  }

  private living(id: string): Kept | undefined {
    const kept = this.documents.get(id);
    return kept && kept.expiresAt > Date.now() ? kept : undefined;
  }

  private sweep(): void {
    this.writesSinceSweep = 0;
    for (const id of this.documents.keys()) if (!this.living(id)) this.drop(id);
  }

  private drop(id: string): void {
    if (this.documents.delete(id)) this.ids.splice(this.indexOf(id), 1);
  }

  /** The index of the id, or where to insert it. */
  private indexOf(id: string): number {
    let [low, high] = [0, this.ids.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.ids[middle]! < id) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}
