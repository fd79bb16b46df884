import type { Bytes } from '../bytes.js';
import { DynamicTable, initialTableSize } from './dynamic-table.js';
import { staticTable, type Field } from './static-table.js';

/** The headers of many requests: the same object for all of them, so that they are looked up once a connection. */
export type SharedHeaders = readonly Field[];

const keyOf = ([name, value]: Field): string => `${name}\0${value}`;
const staticFields = new Map(staticTable.map((field, i) => [keyOf(field), i + 1]));
/** Of names that stand there twice the first. */
const staticNames = new Map(staticTable.map(([name], i): [string, number] => [name, i + 1]).toReversed());
const pathIndex = 4;
/** Keys of fields that have left the table are forgotten all at once. */
const mostKeys = 1000;

/**
 * Writes the header blocks of one connection, in the order of their sending. Shared headers go into the peer's table
 * and are a byte each from then on; the path, which is a device's own, does not (RFC 7541 §7.1). No string is
 * Huffman-coded: after the first request there is hardly one left.
 */
export class HeaderEncoder {
  private readonly table = new DynamicTable();
  private readonly numbers = new Map<string, number>();
  /** Sizes of the table that the peer has to be told of: the smallest since the last block, and the present one. */
  private resizes: readonly number[] = [];
  /** The headers of the last request, as they are written while the table stays as it is. */
  private last?: { readonly headers: SharedHeaders; readonly added: number; readonly indexes: readonly number[] };

  constructor(private readonly out: Bytes) {}

  /** The peer's SETTINGS allow a table of this size. */
  allow(size: number): void {
    const limit = Math.min(size, initialTableSize);
    const smallest = Math.min(limit, ...this.resizes);
    this.resizes = smallest < limit ? [smallest, limit] : [limit];
    this.table.resize(limit);
    this.last = undefined;
  }

  /** Writes the block of a request; a path of its own goes first, as pseudo-headers must (RFC 9113 §8.3). */
  write(headers: SharedHeaders, path?: string): void {
    for (const limit of this.resizes) this.integer(0b0010_0000, 5, limit);
    this.resizes = [];
    if (path !== undefined) this.path(path);
    const indexes = this.knownIndexes(headers);
    if (indexes) for (const index of indexes) this.integer(0b1000_0000, 7, index);
    else for (const field of headers) this.field(field);
  }

  /** The indexes of `headers`, if each of them is in one of the tables. */
  private knownIndexes(headers: SharedHeaders): readonly number[] | undefined {
    const { last } = this;
    if (last?.headers === headers && last.added === this.table.added) return last.indexes;
    const indexes: number[] = [];
    for (const field of headers) {
      const index = this.indexOf(keyOf(field));
      if (index === undefined) return undefined;
      indexes.push(index);
    }
    this.last = { headers, added: this.table.added, indexes };
    return indexes;
  }

  private field(field: Field): void {
    const key = keyOf(field);
    const index = this.indexOf(key);
    if (index !== undefined) return this.integer(0b1000_0000, 7, index);
    if (!this.table.fits(field)) return this.literal(0b0000_0000, 4, field);
    this.literal(0b0100_0000, 6, field);
    if (this.numbers.size >= mostKeys) this.numbers.clear();
    this.numbers.set(key, this.table.added);
    this.table.add(field);
  }

  private indexOf(key: string): number | undefined {
    const fixed = staticFields.get(key);
    if (fixed !== undefined) return fixed;
    const number = this.numbers.get(key);
    const age = number === undefined ? undefined : this.table.age(number);
    return age === undefined ? undefined : staticTable.length + 1 + age;
  }

  private path(path: string): void {
    this.integer(0b0000_0000, 4, pathIndex);
    this.string(path);
  }

  private literal(pattern: number, prefixBits: number, [name, value]: Field): void {
    const index = staticNames.get(name) ?? 0;
    this.integer(pattern, prefixBits, index);
    if (index === 0) this.string(name);
    this.string(value);
  }

  /** An integer whose beginning shares its byte with the bits of `pattern` (RFC 7541 §5.1). */
  private integer(pattern: number, prefixBits: number, value: number): void {
    const most = 2 ** prefixBits - 1;
    this.out.byte(pattern | Math.min(value, most));
    if (value < most) return;
    let rest = value - most;
    for (; rest >= 128; rest = Math.floor(rest / 128)) this.out.byte((rest % 128) + 128);
    this.out.byte(rest);
  }

  private string(text: string): void {
    this.integer(0b0000_0000, 7, text.length);
    this.out.latin1(text);
  }
}
