import type { ClaimedJob } from './job.js';

/** A claimed job that waits to start. */
export interface ClaimedWork {
  readonly job: ClaimedJob;
  /** Jobs of all keys with the same share are limited together. */
  readonly share: string;
  /** When the claim ends, by the steady clock. */
  readonly leasedUntil: number;
  /** A run that starts later might outlast the claim, in epoch milliseconds. */
  readonly startBy: number;
  /** First runs of one key with the same sequence start one after another; absent: in parallel. */
  readonly sequence?: string | undefined;
}

/**
 * The part of a runner for one key, or for the keys of one share: its claimed jobs, and how many of them may run at once.
 * It starts with one run at a time and gets one more for each run that goes well, up to `most`; a bad run resets it to
 * one.
 */
export class KeyLimiter {
  /** The keys of its jobs. */
  readonly keys = new Set<string>();
  private readonly waiting: ClaimedWork[] = [];
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

  /** Whether it should finish its current jobs before it gets more. */
  get isFull(): boolean {
    return (
      this.waiting.length + this.running >= this.most || (this.waiting.length > 0 && this.running >= this.allowance)
    );
  }

  /** Whether it can be forgotten. */
  get isIdle(): boolean {
    return this.running === 0 && this.waiting.length === 0;
  }

  add(waiting: ClaimedWork): void {
    this.keys.add(waiting.job.key);
    this.waiting.push(waiting);
  }

  /** Starts the first job that may run now: within the allowance, and with no other job of its sequence running. */
  start(now: number): ClaimedWork | undefined {
    // Their claims end soon; then the store offers them again.
    while (this.waiting[0] && this.waiting[0].startBy < now) this.waiting.shift();
    if (this.running >= this.allowance) return undefined;
    const index = this.waiting.findIndex(({ sequence }) => !this.sequences.has(sequence ?? ''));
    const [next] = index < 0 ? [] : this.waiting.splice(index, 1);
    if (!next) return undefined;
    this.running += 1;
    if (next.sequence) this.sequences.add(next.sequence);
    return next;
  }

  /** Removes and returns all waiting jobs. */
  release(): readonly ClaimedJob[] {
    return this.waiting.splice(0).map(({ job }) => job);
  }

  /** Ends a run; `well` is whether it succeeded quickly. */
  finish({ sequence }: ClaimedWork, well: boolean): void {
    this.running -= 1;
    if (sequence) this.sequences.delete(sequence);
    this.troubled = !well;
    this.allowance = well ? Math.min(this.allowance + 1, this.most) : 1;
  }
}
