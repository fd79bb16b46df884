import { dropOldest } from '#common';

/** So many refusals in a row concern the site; a single one may concern one subscription. */
const believedRefusals = 5;
/** The window in which Chrome counts the messages of a limited site. */
const defaultRestMs = 60_000;
const longestRestMs = 900_000;
/** Origins and keys are bounded by what operators configure, unless `webPushHosts` allows all hosts. */
const maxOrigins = 10_000;

interface Origin {
  refusals: number;
  restsUntil: number;
}

/**
 * The push services that limit a site's messages (429), by the site's VAPID keys. After several refusals in a row, the
 * site's messages wait instead of asking again and again: Chrome allows sites that it found disruptive 1,000 messages a
 * minute.
 */
export class LimitedOrigins {
  private readonly origins = new Map<string, Origin>();

  /** The milliseconds to wait before a send; 0: send now. */
  waitMs(name: string, now: number): number {
    const { restsUntil = 0 } = this.origins.get(name) ?? {};
    return Math.max(0, restsUntil - now);
  }

  accepted(name: string): void {
    if (this.origins.size > 0) this.origins.delete(name);
  }

  /** @param retryAfterMs - what the push service asks for */
  refused(name: string, now: number, retryAfterMs = defaultRestMs): void {
    let origin = this.origins.get(name);
    if (!origin) this.origins.set(name, (origin = { refusals: 0, restsUntil: 0 }));
    origin.refusals += 1;
    if (origin.refusals >= believedRefusals) origin.restsUntil = now + Math.min(retryAfterMs, longestRestMs);
    dropOldest(this.origins, maxOrigins);
  }
}
