const header = 8;
const maxBytes = 8192;

/** The input that a thread works on, as other threads see it: one that never returns cannot tell. */
export class InputUnderWay {
  private readonly numbers: Int32Array;
  private readonly bytes: Buffer;
  private seen = 0;
  private seenAt = 0;

  constructor(readonly memory = new SharedArrayBuffer(header + maxBytes)) {
    this.numbers = new Int32Array(memory, 0, header / 4);
    this.bytes = Buffer.from(memory, header);
  }

  begin(input: Buffer): void {
    this.numbers[1] = input.copy(this.bytes);
    Atomics.add(this.numbers, 0, 1);
  }

  /** The input, if it is still the one of so many milliseconds ago. */
  stuckFor(milliseconds: number, now: number): Buffer | undefined {
    const count = Atomics.load(this.numbers, 0);
    if (count === 0 || count !== this.seen) [this.seen, this.seenAt] = [count, now];
    return now - this.seenAt > milliseconds ? Buffer.from(this.bytes.subarray(0, this.numbers[1])) : undefined;
  }
}
