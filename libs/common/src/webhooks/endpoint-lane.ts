import type { ClaimedWebhook } from './webhook-delivery.js';

/**
 * One endpoint's part of the sender: what was claimed for it, and how much of it may be under way at once. An endpoint
 * begins with one try at a time and gets more for each that is accepted quickly, up to `most`; after one that failed or
 * was slow it is back to one.
 */
export class EndpointLane {
  private readonly waiting: { readonly delivery: ClaimedWebhook; readonly startBy: number }[] = [];
  private readonly sequences = new Set<string>();
  private allowance = 1;
  private underWay = 0;
  private troubled = false;

  constructor(private readonly most: number) {}

  get inFlight(): number {
    return this.underWay;
  }

  /** Whether its latest try failed or was slow. */
  get isTroubled(): boolean {
    return this.troubled;
  }

  /** Whether it should get no more until it has worked off what it has. */
  get isFull(): boolean {
    return (
      this.waiting.length + this.underWay >= this.most || (this.waiting.length > 0 && this.underWay >= this.allowance)
    );
  }

  /** Whether there is nothing to remember of it. */
  get isIdle(): boolean {
    return this.underWay === 0 && this.waiting.length === 0;
  }

  /** Keeps a claimed delivery until it can be tried; after `startBy` the claim may end before the try does. */
  add(delivery: ClaimedWebhook, startBy: number): void {
    this.waiting.push({ delivery, startBy });
  }

  /** Starts the first delivery that may go now: within the allowance, and none of its sequence under way. */
  start(now: number): ClaimedWebhook | undefined {
    this.letGoOfLate(now);
    if (this.underWay >= this.allowance) return undefined;
    const index = this.waiting.findIndex(({ delivery }) => !this.sequences.has(delivery.sequence ?? ''));
    const [next] = index < 0 ? [] : this.waiting.splice(index, 1);
    if (!next) return undefined;
    this.underWay += 1;
    if (next.delivery.sequence) this.sequences.add(next.delivery.sequence);
    return next.delivery;
  }

  /** Lets go of all that wait. */
  release(): readonly ClaimedWebhook[] {
    return this.waiting.splice(0).map(({ delivery }) => delivery);
  }

  /** Ends a try; `well` is whether it was accepted, and quickly. */
  finish({ sequence }: ClaimedWebhook, well: boolean): void {
    this.underWay -= 1;
    if (sequence) this.sequences.delete(sequence);
    this.troubled = !well;
    this.allowance = well ? Math.min(this.allowance + 1, this.most) : 1;
  }

  /** Their claim ends soon, and then the outbox hands them out again. */
  private letGoOfLate(now: number): void {
    while (this.waiting[0] && this.waiting[0].startBy < now) this.waiting.shift();
  }
}
