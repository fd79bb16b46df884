import { RememberedAnswers } from '#common';

/** How long a process remembers its confirmations at least: longer than a replica lags. Redis keeps them as long. */
const keepMs = 30_000;

interface Confirmation {
  readonly partition: number;
  readonly subject: string;
  readonly version: number;
}

/**
 * The absences this process has recently confirmed and announced. A replica that takes over may lack a confirmation,
 * and would treat a returning member as one never announced; so the confirmations are repeated with each announcement.
 */
export class RecentConfirmations {
  private readonly confirmations = new RememberedAnswers<Confirmation>({
    keepMs,
    charactersOf: ({ subject }) => subject.length,
  });

  note(partition: number, subject: string, version: number): void {
    this.confirmations.set(`${partition} ${subject}`, { partition, subject, version });
  }

  /** Alternating subjects and versions, by partition. */
  inPartitions(): ReadonlyMap<number, readonly (string | number)[]> {
    const groups = new Map<number, (string | number)[]>();
    for (const [, { partition, subject, version }] of this.confirmations.entries()) {
      const group = groups.get(partition) ?? [];
      group.push(subject, version);
      groups.set(partition, group);
    }
    return groups;
  }
}
