import { type DeadLetter, type DeadLetterLimits, deadLetterPlace } from './dead-letter.js';
import { weightOf } from './webhook-delivery.js';

/** Dead letters in memory, in the order in which they came. */
export class DeadLetterQueue {
  private readonly letters = new Map<string, DeadLetter>();
  private readonly owners = new Map<string, Set<string>>();
  private total = 0;

  /** The bytes of all of them. */
  get bytes(): number {
    return this.total;
  }

  add(letter: DeadLetter, { most, keepMs }: DeadLetterLimits): void {
    const { id, owner } = letter.delivery;
    this.take(owner, id);
    for (let oldest = this.oldest(); oldest && oldest.diedAt < letter.diedAt - keepMs; oldest = this.oldest())
      this.take(oldest.delivery.owner, oldest.delivery.id);
    this.letters.set(id, letter);
    this.total += weightOf(letter.delivery);
    const ofOwner = this.owners.get(owner) ?? new Set();
    this.owners.set(owner, ofOwner.add(id));
    for (const each of ofOwner) {
      if (ofOwner.size <= most) break;
      this.take(owner, each);
    }
  }

  page(owner: string, after: string, limit: number): readonly DeadLetter[] {
    const ofOwner = [...(this.owners.get(owner) ?? [])].map((id) => this.letters.get(id)!);
    return inOrder(ofOwner.filter((letter) => deadLetterPlace(letter) > after)).slice(0, limit);
  }

  /** Takes out those that the owner has, the oldest first. */
  takeAll(owner: string, ids: readonly string[]): readonly DeadLetter[] {
    return inOrder(ids.flatMap((id) => this.take(owner, id) ?? []));
  }

  takeOldest(): DeadLetter | undefined {
    const oldest = this.oldest();
    return oldest && this.take(oldest.delivery.owner, oldest.delivery.id);
  }

  private take(owner: string, id: string): DeadLetter | undefined {
    const letter = this.letters.get(id);
    if (letter?.delivery.owner !== owner) return undefined;
    this.letters.delete(id);
    this.total -= weightOf(letter.delivery);
    const ofOwner = this.owners.get(owner);
    ofOwner?.delete(id);
    if (ofOwner?.size === 0) this.owners.delete(owner);
    return letter;
  }

  private oldest(): DeadLetter | undefined {
    const [oldest] = this.letters.values();
    return oldest;
  }
}

const inOrder = (letters: readonly DeadLetter[]): readonly DeadLetter[] =>
  letters.toSorted((one, other) => (deadLetterPlace(one) < deadLetterPlace(other) ? -1 : 1));
