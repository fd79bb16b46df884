/** So long a process remembers what it confirmed: a replica does not lag longer. Redis keeps it twice as long. */
const rememberedMs = 60_000;

interface Confirmation {
  readonly partition: number;
  readonly subject: string;
  readonly version: number;
  readonly until: number;
}

/**
 * What this process has confirmed to be gone lately, and told. A replica that takes over may lack the confirmation, and
 * would take who comes back for one of whom nobody was told; so it is said again with all that the process holds.
 */
export class RecentConfirmations {
  private readonly bySubject = new Map<string, Confirmation>();

  note(partition: number, subject: string, version: number): void {
    this.forgetOld();
    const key = `${partition} ${subject}`;
    // Set anew, it is the last of the map: the first are the oldest.
    this.bySubject.delete(key);
    this.bySubject.set(key, { partition, subject, version, until: performance.now() + rememberedMs });
  }

  /** Subjects and versions by turns, by partition. */
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
