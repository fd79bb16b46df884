import { type DeadJob, type DeadJobCounts, type DeadJobLimits, placeOf } from './dead-job.js';
import { weightOf } from './job.js';

interface Owner {
  /** The oldest first. */
  readonly ids: Set<string>;
  bytes: number;
  dropped: number;
}

/** Dead jobs in memory, in the order of their arrival. */
export class DeadJobs {
  private readonly jobs = new Map<string, DeadJob>();
  private readonly owners = new Map<string, Owner>();
  private total = 0;

  /** The total size in bytes. */
  get bytes(): number {
    return this.total;
  }

  add(dead: DeadJob, { most, maxBytes, keepMs }: DeadJobLimits): void {
    const { id, owner } = dead.job;
    this.take(owner, id);
    for (let oldest = this.oldest(); oldest && oldest.diedAt < dead.diedAt - keepMs; oldest = this.oldest())
      this.drop(oldest);
    const of = this.owners.get(owner) ?? { ids: new Set(), bytes: 0, dropped: 0 };
    this.owners.set(owner, of);
    this.jobs.set(id, dead);
    of.ids.add(id);
    this.count(of, weightOf(dead.job));
    for (const each of of.ids) {
      if (of.ids.size <= most && of.bytes <= maxBytes) break;
      this.drop(this.jobs.get(each)!);
    }
  }

  page(owner: string, after: string, limit: number): readonly DeadJob[] {
    return inOrder(this.of(owner).filter((dead) => placeOf(dead) > after)).slice(0, limit);
  }

  latest(owner: string, before: string, limit: number): readonly DeadJob[] {
    const earlier = this.of(owner).filter((dead) => before === '' || placeOf(dead) < before);
    return inOrder(earlier).toReversed().slice(0, limit);
  }

  counts(owner: string): DeadJobCounts {
    const of = this.owners.get(owner);
    return { kept: of?.ids.size ?? 0, dropped: of?.dropped ?? 0 };
  }

  /** Removes and returns the owner's jobs among these ids, oldest first. */
  takeAll(owner: string, ids: readonly string[]): readonly DeadJob[] {
    const taken = inOrder(ids.flatMap((id) => this.take(owner, id) ?? []));
    if (taken.length > 0 && this.owners.get(owner)?.ids.size === 0) this.owners.delete(owner);
    return taken;
  }

  /** @returns whether there was one */
  dropOldest(): boolean {
    const oldest = this.oldest();
    if (oldest) this.drop(oldest);
    return oldest !== undefined;
  }

  private of(owner: string): readonly DeadJob[] {
    return [...(this.owners.get(owner)?.ids ?? [])].map((id) => this.jobs.get(id)!);
  }

  private drop({ job: { owner, id } }: DeadJob): void {
    this.owners.get(owner)!.dropped += 1;
    this.take(owner, id);
  }

  private take(owner: string, id: string): DeadJob | undefined {
    const dead = this.jobs.get(id);
    const of = this.owners.get(owner);
    if (!of || dead?.job.owner !== owner) return undefined;
    this.jobs.delete(id);
    of.ids.delete(id);
    this.count(of, -weightOf(dead.job));
    return dead;
  }

  private count(of: Owner, bytes: number): void {
    of.bytes += bytes;
    this.total += bytes;
  }

  private oldest(): DeadJob | undefined {
    const [oldest] = this.jobs.values();
    return oldest;
  }
}

const inOrder = (jobs: readonly DeadJob[]): readonly DeadJob[] =>
  jobs.toSorted((one, other) => (placeOf(one) < placeOf(other) ? -1 : 1));
