/** How long a process remembers its confirmations: longer than a replica lags. Redis keeps them twice as long. */
const rememberedMs = 60_000;

interface Confirmation {
  readonly partition: number;
  readonly subject: string;
  readonly version: number;
  readonly until: number;
}

/**
 * The absences this process has recently confirmed and announced. A replica that takes over may lack a confirmation,
 * and would treat a returning member as one never announced; so the confirmations are repeated with each announcement.
 */
export class RecentConfirmations {
  private readonly bySubject = new Map<string, Confirmation>();

  note(partition: number, subject: string, version: number): void {
    this.forgetOld();
    const key = `${partition} ${subject}`;
    // Re-inserting makes it the last entry; the oldest come first.
    this.bySubject.delete(key);
    this.bySubject.set(key, { partition, subject, version, until: performance.now() + rememberedMs });
  }

  /** Alternating subjects and versions, by partition. */
  inPartitions(): ReadonlyMap<number, readonly (string | number)[]> {
    this.forgetOld();
    const groups = new Map<number, (string | number)[]>();
    for (const { partition, subject, version } of this.bySubject.values()) {
      const group = groups.get(partition) ?? [];
      group.push(subject, version);
      groups.set(partition, group);
    }
    return groups;
  }

  private forgetOld(): void {
    const now = performance.now();
    for (const [key, { until }] of this.bySubject) {
      if (until > now) return;
      this.bySubject.delete(key);
    }
  }
}
