import type { ClaimedJob } from './job.js';

/** A claimed job that waits for its turn. */
export interface Waiting {
  readonly job: ClaimedJob;
  /** After this the claim may end before the run does, in epoch milliseconds. */
  readonly startBy: number;
  /** First runs of one key with the same sequence start one after another; absent: side by side. */
  readonly sequence?: string | undefined;
}

/**
 * One key's part of a runner: the jobs that were claimed for it, and how many of them may run at once. A key begins with
 * one run at a time and gets more for each that goes well, up to `most`; after one that did not, it is back to one.
 */
export class KeyLimiter {
  private readonly waiting: Waiting[] = [];
  private readonly sequences = new Set<string>();
  private allowance = 1;
  private running = 0;
  private troubled = false;

  constructor(private readonly most: number) {}

  get inFlight(): number {
    return this.running;
  }

  /** Whether its latest run failed or was slow. */
  get isTroubled(): boolean {
    return this.troubled;
  }

  /** Whether it should get no more jobs until it has worked off what it has. */
  get isFull(): boolean {
    return (
      this.waiting.length + this.running >= this.most || (this.waiting.length > 0 && this.running >= this.allowance)
    );
  }

  /** Whether there is nothing to remember of it. */
  get isIdle(): boolean {
    return this.running === 0 && this.waiting.length === 0;
  }

  add(waiting: Waiting): void {
    this.waiting.push(waiting);
  }

  /** Takes the first job that may run now: within the allowance, and no other of its sequence running. */
  start(now: number): Waiting | undefined {
    // The claim of these ends soon, and then the store hands them out again.
    while (this.waiting[0] && this.waiting[0].startBy < now) this.waiting.shift();
    if (this.running >= this.allowance) return undefined;
    const index = this.waiting.findIndex(({ sequence }) => !this.sequences.has(sequence ?? ''));
    const [next] = index < 0 ? [] : this.waiting.splice(index, 1);
    if (!next) return undefined;
    this.running += 1;
    if (next.sequence) this.sequences.add(next.sequence);
    return next;
  }

  /** Lets go of all that wait. */
  release(): readonly ClaimedJob[] {
    return this.waiting.splice(0).map(({ job }) => job);
  }

  /** Ends a run; `well` is whether it succeeded, and quickly. */
  finish({ sequence }: Waiting, well: boolean): void {
    this.running -= 1;
    if (sequence) this.sequences.delete(sequence);
    this.troubled = !well;
    this.allowance = well ? Math.min(this.allowance + 1, this.most) : 1;
  }
}
