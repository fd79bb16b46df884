import { isUtf8 } from 'node:buffer';
import { FragmentedBytes } from './fragmented-bytes.js';

/** A text that arrives in fragments. Bytes are checked as they arrive; a character may be split between fragments. */
export class FragmentedText extends FragmentedBytes {
  /** The start of the last incomplete character, or the end. */
  private whole = 0;

  /** @returns whether the bytes so far can begin a text */
  override add(fragment: Buffer): boolean {
    super.add(fragment);
    const from = this.whole;
    const { bytes, length } = this;
    this.whole = length - cutCharacter(bytes, from, length);
    return isUtf8(bytes.subarray(from, this.whole)) && canBegin(bytes.subarray(this.whole));
  }

  /** The text; undefined when its last character is incomplete. */
  end(): string | undefined {
    return this.whole === this.length ? this.bytes.toString() : undefined;
  }
}

/** How many bytes at the end begin a character without completing it. */
function cutCharacter(bytes: Buffer, start: number, end: number): number {
  for (let count = 1; count <= 3 && end - count >= start; count++) {
    const byte = bytes[end - count]!;
    if (byte >= 0xc0) return count < charactersBytes(byte) ? count : 0;
    if (byte < 0x80) return 0;
  }
  return 0;
}

/**
 * Whether a character can begin with these bytes: the second byte is 80 to BF, for some characters in a smaller range.
 */
function canBegin(bytes: Buffer): boolean {
  if (bytes.length === 0) return true;
  return [0x80, 0xbf].some((next) => {
    const character = Buffer.alloc(charactersBytes(bytes[0]!), next);
    bytes.copy(character);
    return isUtf8(character);
  });
}

/** The length of the character that begins with a byte. */
const charactersBytes = (first: number): number => (first < 0xe0 ? 2 : first < 0xf0 ? 3 : 4);
