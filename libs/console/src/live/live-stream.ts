import { Readable } from 'node:stream';
import type { Awaitable } from '#common';
import type { Activity } from '../contract/index.js';

/** The most bytes buffered for a viewer that does not read; further activities are only counted. */
const maxWaiting = 1024 * 1024;
/** A viewer that has not read anything for this long is disconnected. */
const patienceMs = 15_000;
const statusMs = 2000;

/**
 * Streams activities as server-sent events. A slow viewer learns how many it missed, and one that stops reading is
 * disconnected.
 */
export class LiveStream extends Readable {
  private dropped = 0;
  private fullSince: number | undefined;
  private readonly statusTimer: NodeJS.Timeout;

  /**
   * @param nodes the number of processes
   * @param mayLook whether to continue: the viewer may have signed out in any process
   */
  constructor(
    private readonly nodes: () => number,
    private readonly mayLook: () => Awaitable<boolean>,
  ) {
    super({ highWaterMark: maxWaiting });
    this.statusTimer = setInterval(() => {
      this.sendStatus();
      void this.endUnlessAllowed();
    }, statusMs).unref();
    // Proxies and browsers forward nothing before the first bytes.
    this.push(':\n\n');
    this.sendStatus();
  }

  override _read(): void {}

  override _destroy(error: Error | null, done: (error?: Error | null) => void): void {
    clearInterval(this.statusTimer);
    done(error);
  }

  send(activities: readonly Activity[], dropped: number): void {
    this.dropped += dropped;
    if (this.isFull) this.dropped += activities.length;
    else if (activities.length > 0) this.say('activities', activities);
  }

  private async endUnlessAllowed(): Promise<void> {
    try {
      if (!(await this.mayLook())) this.destroy();
    } catch {
      // The store is unreachable: the check is repeated.
    }
  }

  private get isFull(): boolean {
    return this.readableLength >= maxWaiting;
  }

  private sendStatus(): void {
    if (!this.isFull) {
      this.fullSince = undefined;
      this.say('status', { dropped: this.dropped, nodes: this.nodes() });
      return;
    }
    this.fullSince ??= performance.now();
    if (performance.now() - this.fullSince > patienceMs) this.destroy();
  }

  private say(event: string, data: unknown): void {
    if (!this.destroyed) this.push(`event: ${event}\ndata: ${JSON.stringify(data)}\n\n`);
  }
}
