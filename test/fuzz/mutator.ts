import type { Random } from '../support/random.js';

/** What readers of text and of JSON go wrong about. */
const awkward = [
  'null true [] {} "" -1 1e400 0.1 9007199254740993 12345678901234567890 {"a": "__proto__" "constructor" "toString"',
  '"length" "\\u0000" "\\ud800" \u2028 💥 \r\n \n \0 \t , : % %00 %2f %zz + & = ? # ../ \\ " [[[[[[[[ }}}} 0 1.0 -0',
]
  .flatMap((text) => text.split(' '))
  .concat(' ', '\ufeff', 'a'.repeat(32));
const edges = [0, 1, 9, 10, 13, 32, 34, 0x7d, 0x7e, 0x7f, 0x80, 0x81, 0x88, 0x89, 0x8a, 0xbf, 0xc0, 0xed, 0xfe, 0xff];
const words = /"(?:[^"\\]|\\.)*"|[\w.-]+|\r\n|\S/g;

/** Makes new inputs of known ones. The same random numbers make the same inputs. */
export class Mutator {
  private readonly words: Buffer[] = awkward.map((text) => Buffer.from(text));

  constructor(
    private readonly random: Random,
    private readonly maxBytes = 4096,
  ) {}

  /** Its words are used in others. */
  learn(input: Buffer): void {
    for (const [word] of input.toString('latin1').matchAll(words))
      if (word.length > 1 && this.words.length < 5000) this.words.push(Buffer.from(word, 'latin1'));
  }

  mutated(corpus: readonly Buffer[]): Buffer {
    let input = this.random.of(corpus);
    // Mostly one change; seldom many.
    for (let changes = 1 + this.random.below(2) * this.random.below(6); changes > 0; changes--)
      input = this.changed(input, corpus);
    return input.length > this.maxBytes ? input.subarray(0, this.maxBytes) : input;
  }

  private changed(input: Buffer, corpus: readonly Buffer[]): Buffer {
    const { random } = this;
    const at = random.below(input.length + 1);
    const some = input.length < 2 ? input.length : 1 + random.below(Math.min(input.length, 1 << random.below(8)));
    const end = Math.min(at + some, input.length);
    switch (random.below(9)) {
      case 0:
        return spliced(input, at, end, Buffer.alloc(0));
      case 1:
        return spliced(input, at, at, input.subarray(at, end));
      case 2:
        return spliced(input, at, at, random.of(this.words));
      case 3:
        return spliced(input, at, end, random.of(this.words));
      case 4:
        return this.withOtherWord(input, at);
      case 5: {
        const other = random.of(corpus);
        const from = random.below(other.length + 1);
        return spliced(input, at, end, other.subarray(from, from + 1 + random.below(64)));
      }
      case 6:
        return input.length === 0 ? input : spliced(input, at, at + 1, Buffer.from([random.of(edges)]));
      case 7:
        return input.length === 0 ? input : spliced(input, at, at + 1, Buffer.from([random.below(256)]));
      default:
        return input.length === 0
          ? input
          : spliced(input, at, at + 1, Buffer.from([(input[at] ?? 0) ^ (1 << random.below(8))]));
    }
  }

  /** Whole words in place of whole words: JSON mostly stays JSON. */
  private withOtherWord(input: Buffer, at: number): Buffer {
    let start = at;
    while (start < input.length && !isOfWord(input[start]!)) start += 1;
    let end = start;
    while (end < input.length && isOfWord(input[end]!)) end += 1;
    while (start > 0 && isOfWord(input[start - 1]!)) start -= 1;
    const isQuoted = input[start - 1] === quote && input[end] === quote;
    const other = this.random.of(this.words);
    return isQuoted && other[0] === quote
      ? spliced(input, start - 1, end + 1, other)
      : spliced(input, start, end, other);
  }
}

const quote = 0x22;
const isOfWord = (byte: number): boolean =>
  (byte >= 0x61 && byte <= 0x7a) || (byte >= 0x41 && byte <= 0x5a) || (byte >= 0x2d && byte <= 0x39) || byte === 0x5f;

const spliced = (input: Buffer, start: number, end: number, between: Buffer): Buffer =>
  Buffer.concat([input.subarray(0, start), between, input.subarray(end)]);
