import { pause, type RequestLimit, type RequestRates } from '#common';
import { SendLater } from '../push.gateway.js';

/** What a process takes at once of a second's messages: one call then serves many sends. */
const portionsPerSecond = 20;
/** Longer waits would only block slots. */
const patienceMs = 10_000;

/**
 * Keeps all processes together within a project's quota of messages (beams-wire §11.2), so that a large publish does
 * not run into Google's refusals, which concern the project's other messages too.
 */
export class ProjectQuota {
  private readonly limit: RequestLimit & { readonly count: number };
  /** Messages that this process has taken and not sent yet. */
  private left = 0;
  private taking: Promise<void> | undefined;

  constructor(
    project: string,
    perMinute: number,
    private readonly rates: RequestRates,
  ) {
    const perSecond = perMinute / 60;
    const atOnce = Math.max(1, Math.floor(perSecond));
    const count = Math.max(1, Math.floor(atOnce / portionsPerSecond));
    this.limit = { name: `messages of the FCM project ${project}`, perSecond, atOnce, count };
  }

  /** Takes one message; synchronous while some are left. Throws SendLater after ten seconds. */
  take(): void | Promise<void> {
    if (this.left === 0) return this.wait();
    this.left -= 1;
  }

  private async wait(): Promise<void> {
    const until = performance.now() + patienceMs;
    while (this.left === 0) {
      if (performance.now() > until) throw new SendLater('ProjectQuota', patienceMs);
      this.taking ??= this.portion().finally(() => (this.taking = undefined));
      await this.taking;
    }
    this.left -= 1;
  }

  private async portion(): Promise<void> {
    const { count, perSecond } = this.limit;
    if ((await this.ask()) === 0) this.left += count;
    // Shorter than the next portion takes to be earned, so that no process takes what several wait for.
    else await pause((1000 * count * (0.25 + Math.random() / 2)) / perSecond);
  }

  /** A quota that cannot be counted must not stop the delivery: Google counts too. */
  private async ask(): Promise<number> {
    try {
      return await this.rates.take([this.limit]);
    } catch {
      return 0;
    }
  }
}
