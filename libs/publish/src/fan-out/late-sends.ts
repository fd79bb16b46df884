import type { DeviceAddress } from 'rookery/push-device';
import type { Sending } from './sending.js';

/**
 * The sends of a lane whose gateways take their time. They hold back neither the next page nor each other, but there
 * are never more than `most`: then the page waits.
 */
export class LateSends {
  private readonly sendings = new Set<Sending>();
  private readonly done = new Set<Sending>();

  constructor(readonly most: number) {}

  /** How many more may be late. */
  room(): number {
    let late = 0;
    for (const sending of this.sendings) late += sending.late.length;
    return this.most - late;
  }

  /** Takes over what a sending has not finished. Answers the devices. */
  keep(sending: Sending): readonly DeviceAddress[] {
    const { late } = sending;
    if (late.length === 0) return late;
    this.sendings.add(sending);
    void sending.done.then(() => this.done.add(sending));
    return late;
  }

  /** Those that have all their answers by now; they are handed out once. */
  answered(): readonly Sending[] {
    const answered = [...this.done];
    this.done.clear();
    for (const sending of answered) this.sendings.delete(sending);
    return answered;
  }

  /** All of them, once they have all their answers. */
  async all(): Promise<readonly Sending[]> {
    await Promise.all([...this.sendings].map((sending) => sending.done));
    // One turn for those that are only now entered as done.
    await Promise.resolve();
    return this.answered();
  }
}
