import type { Database } from '../database/database.js';

/** The pause after a notice, in milliseconds. */
const pauseMs = 1000;

/**
 * Notifies other processes of jobs, at once and then at most once a second: as a rule, the process that adds a job also
 * runs it, and each notice makes all others look.
 */
export class SeldomNotices {
  private pause: NodeJS.Timeout | undefined;
  private isDue = false;

  constructor(
    private readonly database: Database,
    private readonly name: string,
  ) {}

  send(): void {
    if (this.pause) {
      this.isDue = true;
      return;
    }
    this.database.notify(this.name);
    this.pause = setTimeout(() => this.onEnd(), pauseMs).unref();
  }

  stop(): void {
    clearTimeout(this.pause);
    this.isDue = false;
  }

  private onEnd(): void {
    this.pause = undefined;
    if (!this.isDue) return;
    this.isDue = false;
    this.send();
  }
}
