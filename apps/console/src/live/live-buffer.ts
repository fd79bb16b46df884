import type { Activity } from '../api/contract.js';

/** How many are kept; the oldest are dropped first. */
export const keptActivities = 10_000;

/** Recent activities, the newest last, and the ones that match the filter. */
export class LiveBuffer {
  private kept: Activity[] = [];
  private matching: Activity[] = [];
  private waiting: Activity[] = [];
  private matches: (activity: Activity) => boolean = () => true;
  private holds = false;

  constructor(private readonly limit = keptActivities) {}

  get shown(): readonly Activity[] {
    return this.matching;
  }

  /** How many matching activities have arrived since it was held. */
  get waitingCount(): number {
    return this.waiting.filter(this.matches).length;
  }

  /** The activity shown at `index`, the newest first. */
  newest(index: number): Activity | undefined {
    return this.matching[this.matching.length - 1 - index];
  }

  add(activities: readonly Activity[]): void {
    if (this.holds) {
      this.waiting = bounded([...this.waiting, ...activities], this.limit);
      return;
    }
    this.kept = bounded([...this.kept, ...activities], this.limit);
    this.matching = bounded([...this.matching, ...activities.filter(this.matches)], this.limit);
  }

  /** While held, new activities wait, and what is shown stays as it is. */
  hold(holds: boolean): void {
    if (holds === this.holds) return;
    this.holds = holds;
    const came = this.waiting;
    this.waiting = [];
    if (!holds) this.add(came);
  }

  filter(matches: (activity: Activity) => boolean): void {
    this.matches = matches;
    this.matching = this.kept.filter(matches);
  }

  clear(): void {
    [this.kept, this.matching, this.waiting] = [[], [], []];
  }
}

const bounded = <T>(list: T[], limit: number): T[] => (list.length > limit ? list.slice(-limit) : list);
