export const subjects = ['events', 'webhooks', 'pushes', 'states'] as const;
export type Subject = (typeof subjects)[number];

/** How long everything took that was caused in one round, in milliseconds. */
export class Latencies {
  private readonly taken: Readonly<Record<Subject, number[]>> = { events: [], webhooks: [], pushes: [], states: [] };
  private pending = 0;

  /** Those of several rounds. */
  static of(all: readonly Latencies[]): Latencies {
    const together = new Latencies();
    for (const { taken, pending } of all) {
      for (const subject of subjects) together.taken[subject].push(...taken[subject]);
      together.pending += pending;
    }
    return together;
  }

  expect(count: number): void {
    this.pending += count;
  }

  took(subject: Subject, milliseconds: number): void {
    this.taken[subject].push(milliseconds);
    this.pending--;
  }

  get isComplete(): boolean {
    return this.pending === 0;
  }

  count(subject: Subject): number {
    return this.taken[subject].length;
  }

  /** @param share 0.5 for the median */
  quantile(subject: Subject, share: number): number {
    return quantile(this.taken[subject], share);
  }
}

function quantile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.floor(share * (sorted.length - 1))] ?? Infinity;
}
