import { tooBusy } from './refused.js';

/** How many authorizations run at once. */
export class Slots {
  private taken = 0;

  constructor(private readonly most: number) {}

  /**
   * Runs what takes so many slots; a request that is larger than all of them runs alone.
   * @throws Refused 503 where they are not free
   */
  async run<T>(count: number, work: () => Promise<T>): Promise<T> {
    if (this.taken > 0 && this.taken + count > this.most) throw tooBusy();
    this.taken += count;
    try {
      return await work();
    } finally {
      this.taken -= count;
    }
  }
}
