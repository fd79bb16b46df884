import { isUtf8 } from 'node:buffer';

/** A text that comes in fragments. Its bytes are checked as they come; a character may be cut between fragments. */
export class FragmentedText {
  /** In bytes. */
  length = 0;
  private bytes = Buffer.alloc(0);
  /** Where the last character begins that is not complete, or the end. */
  private whole = 0;

  /** @returns whether a text can begin with what has come */
  add(fragment: Buffer): boolean {
    this.makeRoom(fragment.length);
    fragment.copy(this.bytes, this.length);
    this.length += fragment.length;
    const from = this.whole;
    this.whole = this.length - cutCharacter(this.bytes, from, this.length);
    return isUtf8(this.bytes.subarray(from, this.whole)) && canBegin(this.bytes.subarray(this.whole, this.length));
  }

  /** The text; undefined when its last character is not complete. */
  end(): string | undefined {
    return this.whole === this.length ? this.bytes.toString('utf8', 0, this.length) : undefined;
  }

  // Doubled when it is used up: a text in very many fragments must not be copied with each.
  private makeRoom(bytes: number): void {
    const needed = this.length + bytes;
    if (needed <= this.bytes.length) return;
    const room = Buffer.allocUnsafe(Math.max(needed, 2 * this.bytes.length));
    this.bytes.copy(room, 0, 0, this.length);
    this.bytes = room;
  }
}

/** How many bytes at the end begin a character and do not complete it. */
function cutCharacter(bytes: Buffer, start: number, end: number): number {
  for (let count = 1; count <= 3 && end - count >= start; count++) {
    const byte = bytes[end - count]!;
    if (byte >= 0xc0) return count < charactersBytes(byte) ? count : 0;
    if (byte < 0x80) return 0;
  }
  return 0;
}

/** Whether a character begins with the bytes: most may go on with any byte from 80 to BF, the others with one of the two. */
function canBegin(bytes: Buffer): boolean {
  if (bytes.length === 0) return true;
  return [0x80, 0xbf].some((next) => {
    const character = Buffer.alloc(charactersBytes(bytes[0]!), next);
    bytes.copy(character);
    return isUtf8(character);
  });
}

/** How long the character is that begins with a byte. */
const charactersBytes = (first: number): number => (first < 0xe0 ? 2 : first < 0xf0 ? 3 : 4);
