import { Readable } from 'node:stream';
import type { Awaitable } from 'rookery/common';
import type { Happening } from '../watch/happening.js';

/** What waits for somebody who does not read; what happens beyond it is counted. */
const mostWaiting = 1024 * 1024;
/** Whoever has read nothing of it for so long is gone, or as good as. */
const patienceMs = 15_000;
const statusMs = 2000;

/** Server-sent events of what happens. Whoever reads slowly is told how much they missed, and whoever does not is ended. */
export class LiveStream extends Readable {
  private dropped = 0;
  private fullSince: number | undefined;
  private readonly telling: NodeJS.Timeout;

  /**
   * @param nodes how many processes there are
   * @param mayLook whether it may go on: who looks may have signed out, at any process
   */
  constructor(
    private readonly nodes: () => number,
    private readonly mayLook: () => Awaitable<boolean>,
  ) {
    super({ highWaterMark: mostWaiting });
    this.telling = setInterval(() => {
      this.tellStatus();
      void this.endUnlessAllowed();
    }, statusMs).unref();
    // Proxies and browsers pass nothing on before something has come.
    this.push(':\n\n');
    this.tellStatus();
  }

  override _read(): void {}

  override _destroy(error: Error | null, done: (error?: Error | null) => void): void {
    clearInterval(this.telling);
    done(error);
  }

  tell(happenings: readonly Happening[], dropped: number): void {
    this.dropped += dropped;
    if (this.isFull) this.dropped += happenings.length;
    else if (happenings.length > 0) this.say('happenings', happenings);
  }

  private async endUnlessAllowed(): Promise<void> {
    try {
      if (!(await this.mayLook())) this.destroy();
    } catch {
      // The store is away: it is asked again.
    }
  }

  private get isFull(): boolean {
    return this.readableLength >= mostWaiting;
  }

  private tellStatus(): void {
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
