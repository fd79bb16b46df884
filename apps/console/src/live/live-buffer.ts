import type { Activity } from '../api/contract.js';

/** How many are kept; the oldest are dropped first. */
const keptActivities = 10_000;

/** Recent activities, the newest last, and the ones that match the filter. */
export class LiveBuffer {
  private kept: Activity[] = [];
  private matching: Activity[] = [];
  private waiting: Activity[] = [];
  private known = new Set<string>();
  private matches: (activity: Activity) => boolean = () => true;
  private holds = false;
  /** Activities until then have been cleared, although the server still sends them. */
  private clearedAt = 0;

  constructor(private readonly limit = keptActivities) {}

  get shown(): readonly Activity[] {
    return this.matching;
  }

  /** How many there are, whether or not they match. */
  get size(): number {
    return this.kept.length;
  }

  /** How many matching activities have arrived since it was held. */
  get waitingCount(): number {
    return this.waiting.filter(this.matches).length;
  }

  find(id: string): Activity | undefined {
    return this.known.has(id) ? [...this.kept, ...this.waiting].find((each) => each.id === id) : undefined;
  }

  /** Each activity counts once: a stream begins with what happened before, some of which may be here already. */
  add(activities: readonly Activity[]): void {
    const fresh = activities.filter(({ id, at }) => at > this.clearedAt && !this.known.has(id));
    for (const { id } of fresh) this.known.add(id);
    const newestAt = this.kept.at(-1)?.at ?? 0;
    const past = fresh.filter(({ at }) => at < newestAt);
    if (past.length > 0) this.insert(past);
    const later = past.length > 0 ? fresh.filter(({ at }) => at >= newestAt) : fresh;
    if (this.holds) this.waiting = this.bounded([...this.waiting, ...later]);
    else this.append(later);
  }

  /** While held, new activities wait, and what is shown stays as it is. */
  hold(holds: boolean): void {
    if (holds === this.holds) return;
    this.holds = holds;
    const came = this.waiting;
    this.waiting = [];
    if (!holds) this.append(came);
  }

  filter(matches: (activity: Activity) => boolean): void {
    this.matches = matches;
    this.matching = this.kept.filter(matches);
  }

  clear(): void {
    const latest = [...this.kept, ...this.waiting].map(({ at }) => at);
    this.clearedAt = latest.reduce((most, at) => Math.max(most, at), this.clearedAt);
    [this.kept, this.matching, this.waiting] = [[], [], []];
    this.known.clear();
  }

  private append(activities: readonly Activity[]): void {
    this.kept = this.bounded([...this.kept, ...activities]);
    this.matching = [...this.matching, ...activities.filter(this.matches)].slice(-this.limit);
  }

  private insert(past: readonly Activity[]): void {
    this.kept = this.bounded([...this.kept, ...past].toSorted((left, right) => left.at - right.at));
    this.matching = this.kept.filter(this.matches);
  }

  private bounded(list: Activity[]): Activity[] {
    const dropped = list.length - this.limit;
    if (dropped <= 0) return list;
    for (const { id } of list.slice(0, dropped)) this.known.delete(id);
    return list.slice(-this.limit);
  }
}
