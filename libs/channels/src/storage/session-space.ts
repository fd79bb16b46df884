import type { Logger } from '@nestjs/common';
import { QuietCount } from '#common';
import type { SessionName } from '../access/saved-session.js';
import { oldestAgeMs } from './session-age.js';

/** The bytes that the sessions of each app take in a store, and which apps may have lost sessions because it was full. */
export class SessionSpace {
  private readonly bytes = new Map<string, number>();
  /** When sessions were last forgotten, and until when they would have been kept, by performance.now(). */
  private readonly lost = new Map<string, { readonly at: number; readonly until: number }>();
  private readonly losses = new QuietCount(60_000);
  total = 0;

  constructor(private readonly logger: Logger) {}

  add(appId: string, bytes: number): void {
    const now = (this.bytes.get(appId) ?? 0) + bytes;
    this.total += bytes;
    if (now > 0) this.bytes.set(appId, now);
    else this.bytes.delete(appId);
  }

  clear(): void {
    this.bytes.clear();
    this.total = 0;
  }

  /** The app with the most bytes. */
  get fullest(): string | undefined {
    let found: string | undefined;
    let most = 0;
    for (const [appId, bytes] of this.bytes) if (bytes > most) [found, most] = [appId, bytes];
    return found;
  }

  /** Sessions of the app were forgotten early, which would have been kept for so many seconds. */
  forgotten(appId: string, seconds: number): void {
    const now = performance.now();
    for (const [other, { until }] of this.lost) if (until <= now) this.lost.delete(other);
    this.lost.set(appId, { at: now, until: now + seconds * 1000 });
    if (this.losses.add() === 0) return;
    this.logger.warn(
      `There is no room for all sessions: the oldest of app ${appId}, which has the most, are forgotten`,
    );
  }

  /** Whether an unknown session may be one that was forgotten early. */
  mayHaveLost(session: SessionName, seconds: number): boolean {
    const { at = 0, until = 0 } = this.lost.get(session.appId) ?? {};
    const now = performance.now();
    return until > now && now - at < oldestAgeMs(session, seconds);
  }
}
