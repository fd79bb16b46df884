/**
 * So many sends at a time, first come first served: publishes that run side by side share a platform fairly, since
 * each one comes back to the end of the queue for every device.
 */
export class SendSlots {
  private readonly queue: (() => void)[] = [];
  private head = 0;

  constructor(private free: number) {}

  /** Answers at once when there is a slot: no promise, no turn of the event loop. */
  take(): void | Promise<void> {
    if (this.free > 0) {
      this.free -= 1;
      return;
    }
    return new Promise((granted) => this.queue.push(granted));
  }

  give(): void {
    const next = this.queue[this.head];
    if (next) {
      this.head += 1;
      if (this.head > 1024) this.forgetServed();
      next();
    } else {
      this.free += 1;
      this.forgetServed();
    }
  }

  private forgetServed(): void {
    this.queue.splice(0, this.head);
    this.head = 0;
  }
}
