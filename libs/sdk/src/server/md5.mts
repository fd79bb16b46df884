import { hex, utf8 } from './bytes.mjs';

const shifts = [7, 12, 17, 22, 5, 9, 14, 20, 4, 11, 16, 23, 6, 10, 15, 21];

/** The MD5 of a text's UTF-8 in hexadecimal (RFC 1321 §3): the API signs it, and WebCrypto lacks it. */
export function md5(text: string): string {
  const bytes = utf8(text);
  // All supported platforms are little-endian, as is MD5.
  const words = new Int32Array(((bytes.length + 72) >> 6) << 4);
  new Uint8Array(words.buffer).set([...bytes, 128]);
  words[words.length - 2] = bytes.length * 8;
  let state = Int32Array.of(0x67452301, 0xefcdab89, 0x98badcfe, 0x10325476);
  for (let at = 0; at < words.length; at += 16) {
    let [a, b, c, d] = state as unknown as Four;
    for (let i = 0; i < 64; i++) {
      const round = i >> 4;
      const mixed = [(b & c) | (~b & d), (b & d) | (c & ~d), b ^ c ^ d, c ^ (b | ~d)][round]!;
      const word = words[at + ([i, 5 * i + 1, 3 * i + 5, 7 * i][round]! & 15)]!;
      const sum = a + mixed + word + ((Math.abs(Math.sin(i + 1)) * 2 ** 32) | 0);
      const shift = shifts[round * 4 + (i & 3)]!;
      // JavaScript shifts by the lowest five bits, so by 32 - shift.
      [a, b, c, d] = [d, b + ((sum << shift) | (sum >>> -shift)), b, c];
    }
    state = state.map((word, i) => word + [a, b, c, d][i]!);
  }
  return hex(state.buffer);
}

type Four = [number, number, number, number];
