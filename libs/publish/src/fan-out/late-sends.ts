import type { DeviceAddress } from 'rookery/push-device';
import type { Sending } from './sending.js';

/**
 * The slow sends of a partition. They delay neither the next page nor each other until there are `most` of them: then the
 * page waits.
 */
export class LateSends {
  private readonly sendings = new Set<Sending>();
  private readonly done = new Set<Sending>();

  constructor(readonly most: number) {}

  /** How many more sends may be late. */
  room(): number {
    let late = 0;
    for (const sending of this.sendings) late += sending.late.length;
    return this.most - late;
  }

  /** Takes over the unfinished sends of a page. Returns their devices. */
  keep(sending: Sending): readonly DeviceAddress[] {
    const { late } = sending;
    if (late.length === 0) return late;
    this.sendings.add(sending);
    void sending.done.then(() => this.done.add(sending));
    return late;
  }

  /** The sendings completed by now; each is returned once. */
  answered(): readonly Sending[] {
    const answered = [...this.done];
    this.done.clear();
    for (const sending of answered) this.sendings.delete(sending);
    return answered;
  }

  /** All sendings, once they are complete. */
  async all(): Promise<readonly Sending[]> {
    await Promise.all([...this.sendings].map((sending) => sending.done));
    // Sendings are marked as done one turn later.
    await Promise.resolve();
    return this.answered();
  }
}
