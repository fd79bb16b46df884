import type { Awaitable } from '#common';

interface Read<Value> {
  readonly current: Promise<Value>;
  /** Shared by all that asked while the current one was under way. */
  next: Promise<Value> | undefined;
}

/**
 * Reads of what changes, by key: one at a time for each key. Each caller gets the answer of a read that began after the
 * call, and all that call while a read is under way share the next one. When thousands of clients come back to a large
 * room, it is read a few times, not once for each of them.
 */
export class SharedReads<Value> {
  private readonly reads = new Map<string, Read<Value>>();

  of(key: string, read: () => Awaitable<Value>): Awaitable<Value> {
    const underWay = this.reads.get(key);
    if (!underWay) return this.begin(key, read);
    const begin = (): Awaitable<Value> => this.begin(key, read);
    return (underWay.next ??= underWay.current.then(begin, begin));
  }

  private begin(key: string, read: () => Awaitable<Value>): Awaitable<Value> {
    const current = read();
    if (!(current instanceof Promise)) return current;
    const own: Read<Value> = { current, next: undefined };
    this.reads.set(key, own);
    const ended = (): void => {
      if (this.reads.get(key) === own) this.reads.delete(key);
    };
    current.then(ended, ended);
    return current;
  }
}
