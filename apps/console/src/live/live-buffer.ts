import type { Happening } from '../api/contract.js';

/** How many are kept; the oldest go first. */
export const keptHappenings = 10_000;

/** What passed, the newest last, and of that what is to be seen. */
export class LiveBuffer {
  private kept: Happening[] = [];
  private matching: Happening[] = [];
  private waiting: Happening[] = [];
  private matches: (happening: Happening) => boolean = () => true;
  private holds = false;

  constructor(private readonly limit = keptHappenings) {}

  get shown(): readonly Happening[] {
    return this.matching;
  }

  /** How many of what is to be seen came since it is held. */
  get waitingCount(): number {
    return this.waiting.filter(this.matches).length;
  }

  /** What was shown at `index`, the newest first. */
  newest(index: number): Happening | undefined {
    return this.matching[this.matching.length - 1 - index];
  }

  add(happenings: readonly Happening[]): void {
    if (this.holds) {
      this.waiting = bounded([...this.waiting, ...happenings], this.limit);
      return;
    }
    this.kept = bounded([...this.kept, ...happenings], this.limit);
    this.matching = bounded([...this.matching, ...happenings.filter(this.matches)], this.limit);
  }

  /** While it holds, what comes waits, and what is shown stays as it is. */
  hold(holds: boolean): void {
    if (holds === this.holds) return;
    this.holds = holds;
    const came = this.waiting;
    this.waiting = [];
    if (!holds) this.add(came);
  }

  filter(matches: (happening: Happening) => boolean): void {
    this.matches = matches;
    this.matching = this.kept.filter(matches);
  }

  clear(): void {
    [this.kept, this.matching, this.waiting] = [[], [], []];
  }
}

const bounded = <T>(list: T[], limit: number): T[] => (list.length > limit ? list.slice(-limit) : list);
