/** What a process says with an announcement, besides what it holds. */
export interface Said {
  /** The stamp of the latest answer that it has. */
  readonly known: number;
  /** The absences that it has confirmed lately: what names each, and at last its version. */
  readonly confirmed: readonly Confirmed[];
}

/** The arguments of the call that confirmed it. */
export type Confirmed = readonly unknown[];

/** The changes that a process has to tell. */
export interface Answered<Change> {
  readonly stamp: number;
  readonly changes: readonly Change[];
}

export const subjectIn = (confirmed: Confirmed): string => JSON.stringify(confirmed.slice(0, -1));
export const versionIn = (confirmed: Confirmed): number => confirmed.at(-1) as number;

/**
 * What a store remembers of announcements, so that none gets lost with an answer or with a master, as the scripts of
 * libs/redis do: changes are answered again until the process shows that it has them, and confirmations are repeated.
 */
export class Announcements<Change> {
  private readonly unanswered = new Map<string, Answered<Change>>();
  private readonly confirmed = new Map<string, { readonly version: number; readonly call: string }>();

  answer(teller: string, known: number, changes: readonly Change[], stamp: number): Answered<Change> {
    const before = this.unanswered.get(teller);
    const all = before && before.stamp > known ? [...before.changes, ...changes] : changes;
    if (all.length === 0) return { stamp: known, changes: [] };
    const answered = { stamp, changes: all };
    this.unanswered.set(teller, answered);
    return answered;
  }

  confirm(subject: string, version: number, call: string): void {
    this.confirmed.set(subject, { version, call });
  }

  /** Whether it was this call that confirmed it. */
  wasConfirmedBy(subject: string, version: number, call: string): boolean {
    const latest = this.confirmed.get(subject);
    return latest?.version === version && latest.call === call;
  }

  /** Notes a confirmation that a process repeats. @returns whether it was lost */
  repeats(subject: string, version: number): boolean {
    if ((this.confirmed.get(subject)?.version ?? 0) >= version) return false;
    this.confirm(subject, version, '');
    return true;
  }
}
