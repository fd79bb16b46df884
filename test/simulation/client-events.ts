/** What the data of a client event says: `ann 3.2 7` is the seventh of client 3's second connection, whose user is Ann. */
export interface ClientEvent {
  readonly user: string;
  /** `3.2` */
  readonly connection: string;
  readonly number: number;
}

/** @returns undefined for the id of another event */
export function clientEventIn(id: string): ClientEvent | undefined {
  const [, user = '', connection = '', number] = /^(\w+) (\d+\.\d+) (\d+)$/.exec(id) ?? [];
  return number === undefined ? undefined : { user, connection, number: Number(number) };
}

/** The default of ChannelsModule. */
const perSecond = 10;

/** The client events of one connection: what its client sent, and what became of it. */
export class SentClientEvents {
  private sent = 0;
  private refused = 0;
  private last = 0;
  /** When the store accepted each. */
  private readonly acceptedAt: number[] = [];

  /** @returns the number of the next one */
  next(): number {
    return (this.sent += 1);
  }

  /** @returns the rule that the acceptance breaks */
  accepted(number: number, at: number): string | undefined {
    if (number <= this.last) return `was accepted after ${this.last}`;
    this.last = number;
    // The node takes the next event once the store has accepted this one, and so at the latest when that is accepted.
    const withinSecond = this.acceptedAt.at(-perSecond - 1) ?? -Infinity;
    this.acceptedAt.push(at);
    return at - withinSecond < 1000 ? `is one of more than ${perSecond} within a second` : undefined;
  }

  /** One was refused because there were too many. @returns the rule that this breaks */
  tooMany(): string | undefined {
    this.refused += 1;
    return this.acceptedAt.length < perSecond
      ? `a client event was refused after ${this.acceptedAt.length}`
      : undefined;
  }

  /** How many have neither been accepted nor refused. */
  get unanswered(): number {
    return this.sent - this.acceptedAt.length - this.refused;
  }
}
