import { DynamicTable, initialTableSize } from './dynamic-table.js';
import { huffmanDecoded } from './huffman.js';
import { staticTable, type Field } from './static-table.js';

/** The peer's header block breaks RFC 7541; what comes after it cannot be read either. */
export class BadHeaderBlock extends Error {}

/** Reads the header blocks of one connection, all of them and in order, for they build on each other (RFC 7541). */
export class HeaderDecoder {
  private readonly table = new DynamicTable();
  private block: Buffer = Buffer.alloc(0);
  private at = 0;

  decode(block: Buffer): readonly Field[] {
    this.block = block;
    this.at = 0;
    const fields: Field[] = [];
    while (this.at < block.length) {
      const field = this.next(block[this.at]!);
      if (field) fields.push(field);
    }
    return fields;
  }

  /** The kinds of representation by their first bits (RFC 7541 §6). */
  private next(first: number): Field | undefined {
    if (first >= 0b1000_0000) return this.indexed(this.integer(7));
    if (first >= 0b0100_0000) return this.remembered(this.literal(6));
    if (first >= 0b0010_0000) return this.resize(this.integer(5));
    return this.literal(4);
  }

  private indexed(index: number): Field {
    const field =
      index <= staticTable.length ? staticTable[index - 1] : this.table.newest(index - staticTable.length - 1);
    if (!field) throw new BadHeaderBlock(`There is no field ${index}`);
    return field;
  }

  private literal(prefixBits: number): Field {
    const index = this.integer(prefixBits);
    const name = index === 0 ? this.string() : this.indexed(index)[0];
    return [name, this.string()];
  }

  private remembered(field: Field): Field {
    this.table.add(field);
    return field;
  }

  private resize(size: number): undefined {
    if (size > initialTableSize) throw new BadHeaderBlock(`A table of ${size} bytes was not allowed`);
    this.table.resize(size);
  }

  /** An integer whose beginning shares its byte with other bits (RFC 7541 §5.1). */
  private integer(prefixBits: number): number {
    const most = 2 ** prefixBits - 1;
    let value = this.byte() & most;
    if (value < most) return value;
    for (let factor = 1; factor <= 2 ** 21; factor *= 128) {
      const byte = this.byte();
      value += (byte & 127) * factor;
      if (byte < 128) return value;
    }
    throw new BadHeaderBlock('An integer is too long');
  }

  private string(): string {
    const isHuffman = this.block[this.at]! >= 128;
    const end = this.integer(7) + this.at;
    if (end > this.block.length) throw new BadHeaderBlock('A string is longer than the block');
    const bytes = this.block.subarray(this.at, end);
    this.at = end;
    const text = isHuffman ? huffmanDecoded(bytes) : bytes.toString('latin1');
    if (text === undefined) throw new BadHeaderBlock('A string is not in Huffman code');
    return text;
  }

  private byte(): number {
    const byte = this.block[this.at++];
    if (byte === undefined) throw new BadHeaderBlock('The block ends in the middle');
    return byte;
  }
}
