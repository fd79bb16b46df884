import { randomInt } from 'node:crypto';

/**
 * Proves that a client reads: it echoes numbers that it cannot guess. Without it, a client that answers pings but reads
 * nothing lives for ever, with megabytes in the buffers of the kernel.
 */
export class ReadingProof {
  /** The time of the first question, or of the latest echo, while there are unanswered questions; otherwise never. */
  waitsSince = Infinity;
  private asked: number[] = [];

  /** The number of the next question. */
  next(): number {
    const number = randomInt(2 ** 32);
    if (this.asked.length === 0) this.waitsSince = performance.now();
    this.asked.push(number);
    return number;
  }

  /** @returns whether the number was asked for: this answers all earlier questions, too */
  echoed(number: number): boolean {
    const at = this.asked.indexOf(number);
    if (at < 0) return false;
    this.asked = this.asked.slice(at + 1);
    this.waitsSince = this.asked.length === 0 ? Infinity : performance.now();
    return true;
  }
}
