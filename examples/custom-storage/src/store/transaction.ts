import type { Document, DocumentStore, Write } from './document.store.js';

/** The documents that one piece of work has read, and its writes, which are made all or none. */
export class Transaction {
  private readonly seen = new Map<string, number>();
  private readonly writes = new Map<string, Write>();
  private readonly listeners: (() => void)[] = [];

  constructor(private readonly store: DocumentStore) {}

  /** A document as this work has written it, otherwise as stored. */
  async get<Value>(id: string): Promise<Value | undefined> {
    const written = this.writes.get(id);
    if (written) return written.value as Value | undefined;
    const document = await this.store.read<Value>(id);
    this.note(id, document?.version ?? 0);
    return document?.value;
  }

  /**
   * The store's documents, without those that this work has written. Documents that others add meanwhile are not
   * noticed: where that matters, each addition must also write a document that this work reads.
   */
  async list<Value>(prefix: string, after?: string, limit?: number): Promise<readonly Document<Value>[]> {
    const documents = await this.store.list<Value>(prefix, after, limit);
    for (const { id, version } of documents) this.note(id, version);
    return documents;
  }

  set(id: string, value: unknown, expiresAt?: number): void {
    this.writes.set(id, { id, value, ...(expiresAt === undefined ? {} : { expiresAt }) });
  }

  remove(id: string): void {
    this.writes.set(id, { id });
  }

  /** Calls the listener once the work is committed. */
  onCommit(listener: () => void): void {
    this.listeners.push(listener);
  }

  async commit(): Promise<boolean> {
    const isCommitted = await this.store.commit(this.seen, [...this.writes.values()]);
    if (isCommitted) for (const listener of this.listeners) listener();
    return isCommitted;
  }

  /** The version that was seen first: if it is another now, the work has seen two states of the world. */
  private note(id: string, version: number): void {
    if (!this.seen.has(id)) this.seen.set(id, version);
  }
}
