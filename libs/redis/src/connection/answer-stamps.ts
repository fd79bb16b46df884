import { allPartitions } from '../keys.js';

/** The answer of one partition to an announcement; without changes, the stamp is empty. */
export type Answered<Change> = readonly [stamp: string, changes: readonly Change[]];

/**
 * The stamps of the latest answers to this process's announcements, by partition. Redis repeats the changes of an answer
 * until it is called with the answer's stamp, so a broken connection loses none of them.
 */
export class AnswerStamps {
  private readonly stamps = new Map<number, string>();

  get(partition: number): string {
    return this.stamps.get(partition) ?? '';
  }

  /** Notes the answers of all partitions, in their order. */
  changesOf<Change>(answers: readonly Answered<Change>[]): readonly Change[] {
    for (const [i, [stamp]] of answers.entries()) if (stamp !== '') this.stamps.set(allPartitions[i]!, stamp);
    return answers.flatMap(([, changes]) => changes);
  }
}
