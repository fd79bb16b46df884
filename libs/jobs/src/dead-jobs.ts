import { type DeadJob, type DeadJobLimits, placeOf } from './dead-job.js';
import { weightOf } from './job.js';

/** Dead jobs in memory, in the order of their arrival. */
export class DeadJobs {
  private readonly jobs = new Map<string, DeadJob>();
  private readonly owners = new Map<string, Set<string>>();
  private total = 0;

  /** The total size in bytes. */
  get bytes(): number {
    return this.total;
  }

  add(dead: DeadJob, { most, keepMs }: DeadJobLimits): void {
    const { id, owner } = dead.job;
    this.take(owner, id);
    for (let oldest = this.oldest(); oldest && oldest.diedAt < dead.diedAt - keepMs; oldest = this.oldest())
      this.take(oldest.job.owner, oldest.job.id);
    this.jobs.set(id, dead);
    this.total += weightOf(dead.job);
    const ofOwner = this.owners.get(owner) ?? new Set();
    this.owners.set(owner, ofOwner.add(id));
    for (const each of ofOwner) {
      if (ofOwner.size <= most) break;
      this.take(owner, each);
    }
  }

  page(owner: string, after: string, limit: number): readonly DeadJob[] {
    return inOrder(this.of(owner).filter((dead) => placeOf(dead) > after)).slice(0, limit);
  }

  latest(owner: string, before: string, limit: number): readonly DeadJob[] {
    const earlier = this.of(owner).filter((dead) => before === '' || placeOf(dead) < before);
    return inOrder(earlier).toReversed().slice(0, limit);
  }

  size(owner: string): number {
    return this.owners.get(owner)?.size ?? 0;
  }

  /** Removes and returns the owner's jobs among these ids, oldest first. */
  takeAll(owner: string, ids: readonly string[]): readonly DeadJob[] {
    return inOrder(ids.flatMap((id) => this.take(owner, id) ?? []));
  }

  takeOldest(): DeadJob | undefined {
    const oldest = this.oldest();
    return oldest && this.take(oldest.job.owner, oldest.job.id);
  }

  private of(owner: string): readonly DeadJob[] {
    return [...(this.owners.get(owner) ?? [])].map((id) => this.jobs.get(id)!);
  }

  private take(owner: string, id: string): DeadJob | undefined {
    const dead = this.jobs.get(id);
    if (dead?.job.owner !== owner) return undefined;
    this.jobs.delete(id);
    this.total -= weightOf(dead.job);
    const ofOwner = this.owners.get(owner);
    ofOwner?.delete(id);
    if (ofOwner?.size === 0) this.owners.delete(owner);
    return dead;
  }

  private oldest(): DeadJob | undefined {
    const [oldest] = this.jobs.values();
    return oldest;
  }
}

const inOrder = (jobs: readonly DeadJob[]): readonly DeadJob[] =>
  jobs.toSorted((one, other) => (placeOf(one) < placeOf(other) ? -1 : 1));
