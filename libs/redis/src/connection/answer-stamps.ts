import { allPartitions } from '../keys.js';
import { digits, list, text } from './answers.js';

/**
 * The stamps of the latest answers to this process's announcements, by partition. Redis repeats the changes of an answer
 * until it is called with the answer's stamp, so a broken connection loses none of them.
 */
export class AnswerStamps {
  private readonly stamps = new Map<number, string>();

  get(partition: number): string {
    return this.stamps.get(partition) ?? '';
  }

  /**
   * Notes the answers of all partitions, in their order: each a stamp, empty without changes, and the changes. Of two
   * calls, the one that Redis answered last has the changes of both, whichever answer arrives first.
   * @throws UnreadableAnswer, and notes none
   */
  changesOf(answers: readonly unknown[]): readonly unknown[] {
    const read = answers.map((answer) => {
      const [stamp, changes] = list(answer);
      if (stamp !== '') digits(stamp);
      return { stamp: text(stamp), changes: list(changes) };
    });
    for (const [i, { stamp }] of read.entries()) {
      const partition = allPartitions[i]!;
      // All have sixteen digits.
      if (stamp > this.get(partition)) this.stamps.set(partition, stamp);
    }
    return read.flatMap(({ changes }) => changes);
  }
}
