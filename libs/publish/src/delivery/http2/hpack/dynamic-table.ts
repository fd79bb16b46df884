import type { Field } from './static-table.js';

/** The size that both sides begin with (RFC 7541 §4, RFC 9113 §6.5.2). */
export const initialTableSize = 4096;

/** What an entry counts for beside its own bytes (RFC 7541 §4.1). */
const entryOverhead = 32;

/** The fields that one side has sent lately. New ones push out the oldest when the table is full. */
export class DynamicTable {
  private entries: Field[] = [];
  private evicted = 0;
  private size = 0;

  constructor(private limit = initialTableSize) {}

  /** How many entries were ever added: the number of the next one. */
  get added(): number {
    return this.entries.length + this.evicted;
  }

  /** The entry that was added `age` entries before the newest. */
  newest(age: number): Field | undefined {
    return this.entries[this.entries.length - 1 - age];
  }

  /** How long ago the entry of this number was added; `undefined`: it is not there any more. */
  age(number: number): number | undefined {
    return number < this.evicted ? undefined : this.added - 1 - number;
  }

  /** An entry larger than the table leaves it empty, which is no error (RFC 7541 §4.4). */
  add(field: Field): void {
    this.size += sizeOf(field);
    this.entries.push(field);
    this.evict();
  }

  fits(field: Field): boolean {
    return sizeOf(field) <= this.limit;
  }

  resize(limit: number): void {
    this.limit = limit;
    this.evict();
  }

  private evict(): void {
    let gone = 0;
    while (this.size > this.limit) this.size -= sizeOf(this.entries[gone++]!);
    if (gone === 0) return;
    this.entries = this.entries.slice(gone);
    this.evicted += gone;
  }
}

const sizeOf = ([name, value]: Field): number => name.length + value.length + entryOverhead;
