/** How many acknowledgements may wait for a ping; for a page that is frozen for long, the latest are kept. */
const maxWaiting = 1000;

interface Acknowledgement {
  readonly ping: number;
  readonly call: () => void;
}

/** Calls back when a client acknowledges: its answer to a ping proves that it has handled everything sent before. */
export class Acknowledgements {
  /** Ordered by ping. */
  private readonly asked: Acknowledgement[] = [];
  private waiting: (() => void)[] = [];

  /** The answer to the next ping will trigger the call. */
  add(call: () => void): void {
    this.waiting.push(call);
    if (this.waiting.length > maxWaiting) this.waiting.shift();
  }

  get areWaiting(): boolean {
    return this.waiting.length > 0;
  }

  /** @param ping the sequence number of the ping that was sent to the client */
  pinged(ping: number): void {
    if (this.waiting.length === 0) return;
    for (const call of this.waiting) this.asked.push({ ping, call });
    this.waiting = [];
  }

  ponged(ping: number): void {
    while (this.asked.length > 0 && this.asked[0]!.ping <= ping) this.asked.shift()!.call();
  }
}
