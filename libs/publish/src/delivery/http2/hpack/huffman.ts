/** How many bits the code of each byte has, and that of the end of a string, the last (RFC 7541, appendix B). */
const lengths = [
  13, 23, 28, 28, 28, 28, 28, 28, 28, 24, 30, 28, 28, 30, 28, 28, 28, 28, 28, 28, 28, 28, 30, 28, 28, 28, 28, 28, 28,
  28, 28, 28, 6, 10, 10, 12, 13, 6, 8, 11, 10, 10, 8, 11, 8, 6, 6, 6, 5, 5, 5, 6, 6, 6, 6, 6, 6, 6, 7, 8, 15, 6, 12, 10,
  13, 6, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 8, 7, 8, 13, 19, 13, 14, 6, 15, 5, 6, 5, 6,
  5, 6, 6, 6, 5, 7, 7, 6, 6, 6, 5, 6, 7, 6, 5, 5, 6, 7, 7, 7, 7, 7, 15, 11, 14, 13, 28, 20, 22, 20, 20, 22, 22, 22, 23,
  22, 23, 23, 23, 23, 23, 24, 23, 24, 24, 22, 23, 24, 23, 23, 23, 23, 21, 22, 23, 22, 23, 23, 24, 22, 21, 20, 22, 22,
  23, 23, 21, 23, 22, 22, 24, 21, 22, 23, 23, 21, 21, 22, 21, 23, 22, 23, 23, 20, 22, 22, 22, 23, 22, 22, 23, 26, 26,
  20, 19, 22, 23, 22, 25, 26, 26, 26, 27, 27, 26, 24, 25, 19, 21, 26, 27, 27, 26, 27, 24, 21, 21, 26, 26, 28, 27, 27,
  27, 20, 24, 20, 21, 22, 21, 21, 23, 22, 22, 25, 25, 24, 24, 26, 23, 26, 27, 26, 26, 27, 27, 27, 27, 27, 28, 27, 27,
  27, 27, 27, 26, 30,
];
const longest = 30;
const endOfString = 256;

/** The bytes in the order of their codes: the code is canonical, so the lengths say all about it. */
const ordered = Array.from(lengths.keys()).sort((a, b) => lengths[a]! - lengths[b]! || a - b);
/** For each length its first code, and where the bytes with codes of that length begin in `ordered`. */
const firstCode: number[] = [0];
const firstIndex: number[] = [0];
const counts: number[] = [0];
for (let length = 1, code = 0, index = 0; length <= longest; length++) {
  code *= 2;
  firstCode[length] = code;
  firstIndex[length] = index;
  counts[length] = lengths.filter((each) => each === length).length;
  code += counts[length]!;
  index += counts[length]!;
}

/** The text of a string that came Huffman-coded, one character a byte; `undefined` when it is none. */
export function huffmanDecoded(bytes: Uint8Array): string | undefined {
  let text = '';
  let code = 0;
  let length = 0;
  for (const byte of bytes)
    for (let bit = 7; bit >= 0; bit--) {
      code = code * 2 + ((byte >> bit) & 1);
      length++;
      if (length > longest) return undefined;
      const offset = code - firstCode[length]!;
      if (offset >= counts[length]!) continue;
      const symbol = ordered[firstIndex[length]! + offset]!;
      if (symbol === endOfString) return undefined;
      text += String.fromCharCode(symbol);
      code = 0;
      length = 0;
    }
  // What fills the last byte up is the beginning of the end of a string: less than 8 bits, all ones.
  return length < 8 && code === 2 ** length - 1 ? text : undefined;
}
