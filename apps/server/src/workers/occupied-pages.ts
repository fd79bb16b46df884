import type { MemoryChannelRepository } from 'rookery/channels';

/** The names of occupied channels, served page by page. A list that is read to its end, or abandoned, is dropped. */
export class OccupiedPages {
  private readonly iterations = new Map<number, Iterator<readonly string[]>>();
  private begun = 0;

  constructor(private readonly channels: MemoryChannelRepository) {}

  /** @returns the number of the iteration */
  open(appId: string, prefix: string): number {
    this.iterations.set(++this.begun, this.channels.occupied(appId, prefix)[Symbol.iterator]());
    return this.begun;
  }

  /** @returns nothing at the end */
  next(iteration: number): readonly string[] | undefined {
    const page = this.iterations.get(iteration)?.next();
    if (page && !page.done) return page.value;
    this.iterations.delete(iteration);
    return undefined;
  }

  close(iteration: number): void {
    this.iterations.delete(iteration);
  }
}
