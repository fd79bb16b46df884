import type { Logger } from '@nestjs/common';

const quietMs = 60_000;

/** The bytes that the sessions of each app take in a store, and which apps may have lost sessions because it was full. */
export class SessionSpace {
  private readonly bytes = new Map<string, number>();
  /** By performance.now(). */
  private readonly lostUntil = new Map<string, number>();
  private saidAt = -Infinity;
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
    for (const [other, until] of this.lostUntil) if (until <= now) this.lostUntil.delete(other);
    this.lostUntil.set(appId, now + seconds * 1000);
    if (now - this.saidAt < quietMs) return;
    this.saidAt = now;
    this.logger.warn(
      `There is no room for all sessions: the oldest of app ${appId}, which has the most, are forgotten`,
    );
  }

  /** Whether an unknown session of the app may be one that was forgotten early. */
  mayHaveLost(appId: string): boolean {
    return (this.lostUntil.get(appId) ?? 0) > performance.now();
  }
}
