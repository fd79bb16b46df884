/** What may wait for a ping; of a page that is frozen for long, the latest are kept. */
const mostWaiting = 100;

interface Acknowledgement {
  readonly ping: number;
  readonly call: () => void;
}

/** What a client proves with its answers to pings: that it has handled all that it was sent before each. */
export class Acknowledgements {
  /** In the order of their pings. */
  private readonly asked: Acknowledgement[] = [];
  private waiting: (() => void)[] = [];

  /** The next ping asks for it. */
  add(call: () => void): void {
    this.waiting.push(call);
    if (this.waiting.length > mostWaiting) this.waiting.shift();
  }

  get areWaiting(): boolean {
    return this.waiting.length > 0;
  }

  /** @param ping its number, of those that the client was sent */
  pinged(ping: number): void {
    if (this.waiting.length === 0) return;
    for (const call of this.waiting) this.asked.push({ ping, call });
    this.waiting = [];
  }

  ponged(ping: number): void {
    while (this.asked.length > 0 && this.asked[0]!.ping <= ping) this.asked.shift()!.call();
  }
}
