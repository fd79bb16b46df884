import { lanes, type SharedDatabase } from './shared-database.js';

/** How many lanes are locked at once: others wait for them. */
const lanesAtOnce = 4;

interface Answer<Change> {
  readonly stamp: string;
  readonly changes: readonly Change[];
}

/**
 * A process's announcements, lane by lane. The database repeats the changes of an answer until a call shows its stamp, so
 * a broken connection loses none of them.
 */
export class LaneAnnouncements<Change> {
  private readonly stamps = new Map<number, number>();

  /**
   * @param statement with the parameters lane, process, heir, stamp and those of a call
   * @param first lane
   */
  constructor(
    private readonly shared: SharedDatabase,
    private readonly statement: string,
    private readonly first: number,
  ) {}

  /** @param heirId null unless the process is dead */
  async announce(
    nodeId: string,
    heirId: string | null,
    heldOn: (lane: number) => readonly unknown[],
  ): Promise<Change[]> {
    const changes: Change[] = [];
    for (let from = this.first; from < this.first + lanes; from += lanesAtOnce) {
      const some = Array.from({ length: lanesAtOnce }, (_, n) => from + n);
      await Promise.all(
        some.map(async (lane) => {
          const args = [lane, nodeId, heirId, this.stamps.get(lane) ?? 0, ...heldOn(lane)];
          const [answer] = await this.shared.insist<Answer<Change>>(this.statement, args);
          this.stamps.set(lane, Math.max(this.stamps.get(lane) ?? 0, Number(answer!.stamp)));
          changes.push(...answer!.changes);
        }),
      );
    }
    return changes;
  }
}
