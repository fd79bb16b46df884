/** What rosters said of a user, other than what was sent to subscribers. */
interface Contradiction {
  readonly isPresent: boolean;
  /** The versions of the first and the last such roster. */
  readonly from: number;
  readonly to: number;
}

/**
 * Members for whom the rosters of later subscribers contradict what earlier subscribers were sent. Usually the change in
 * between is still on its way. If it was lost and then undone, only the subscribers with such a roster need to be told.
 */
export class Contradictions {
  private readonly byUser = new Map<string, Contradiction>();

  /** A subscriber received a roster of this version, on which the user is present or absent against what was sent. */
  add(userId: string, isPresent: boolean, version: number): void {
    const { from = version, to = version } = this.byUser.get(userId) ?? {};
    this.byUser.set(userId, { isPresent, from: Math.min(from, version), to: Math.max(to, version) });
  }

  /** A change of the user is about to be sent to those whose roster is older. */
  settle(userId: string, isPresent: boolean, version: number): void {
    const known = this.byUser.get(userId);
    if (!known) return;
    if (isPresent === known.isPresent || version >= known.to) this.byUser.delete(userId);
    else if (version >= known.from) this.byUser.set(userId, { ...known, from: version + 1 });
  }

  /** Those that a roster of this version contradicts in turn, each with the version of the first to be told otherwise. */
  undoneBy(present: ReadonlySet<string>, version: number): readonly (readonly [userId: string, from: number])[] {
    return Array.from(this.byUser)
      .filter(([userId, { isPresent, from }]) => from < version && present.has(userId) !== isPresent)
      .map(([userId, { from }]) => [userId, from] as const);
  }
}
