/** What rosters said of a user, other than what was sent to subscribers. */
interface Contradiction {
  /** As the last of them showed the user; undefined if it lacked the user. */
  readonly since: number | undefined;
  /** The versions of the first and the last such roster. */
  readonly from: number;
  readonly to: number;
}

/**
 * Members about which the rosters of later subscribers contradict what earlier subscribers were sent. Usually the
 * change in between is still on its way. If it was lost and then undone, only the
 * subscribers with such a roster need to be told.
 */
export class Contradictions {
  private readonly byUser = new Map<string, Contradiction>();

  /**
   * A subscriber received a roster of this version that differs from what was sent.
   * @param since as the roster shows the user; undefined if it lacks them
   */
  add(userId: string, since: number | undefined, version: number): void {
    const known = this.byUser.get(userId) ?? { since, from: version, to: version };
    this.byUser.set(userId, {
      since: version < known.to ? known.since : since,
      from: Math.min(known.from, version),
      to: Math.max(known.to, version),
    });
  }

  /** A change of the user is about to be sent to those whose roster is older. */
  settle(userId: string, isPresent: boolean, version: number): void {
    const known = this.byUser.get(userId);
    if (!known) return;
    const { since } = known;
    const isShown = isPresent ? since !== undefined && version >= since : since === undefined;
    if (isShown || version >= known.to) this.byUser.delete(userId);
    else if (version >= known.from) this.byUser.set(userId, { ...known, from: version + 1 });
  }

  /** The users, each with the version of the first roster before this one that contradicts what was sent. */
  before(version: number): readonly (readonly [userId: string, from: number])[] {
    return Array.from(this.byUser)
      .filter(([, { from }]) => from < version)
      .map(([userId, { from }]) => [userId, from] as const);
  }
}
