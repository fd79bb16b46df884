export const subjects = ['events', 'webhooks', 'pushes'] as const;
export type Subject = (typeof subjects)[number];

/** How long everything took that was caused in one round, in milliseconds. */
export class Latencies {
  private readonly taken: Readonly<Record<Subject, number[]>> = { events: [], webhooks: [], pushes: [] };
  private pending = 0;

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

/** That of the median round: a moment in which the whole machine was busy changes only one of them. */
export const usualQuantile = (rounds: readonly Latencies[], subject: Subject, share: number): number =>
  quantile(
    rounds.map((round) => round.quantile(subject, share)),
    0.5,
  );

function quantile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.floor(share * (sorted.length - 1))] ?? Infinity;
}
