import type { KnownSession } from './known-session.js';

/** Sessions in memory, the last used last. */
export class RememberedSessions {
  private readonly sessions = new Map<string, KnownSession>();
  private bytes = 0;

  /** @param maxBytes the approximate bytes of all sessions */
  constructor(private readonly maxBytes: number) {}

  find(key: string): KnownSession | undefined {
    const session = this.sessions.get(key);
    return session && session.endsAt > Date.now() ? session : undefined;
  }

  /** @param mustStay whether the session of a key cannot be dropped yet */
  add(key: string, session: KnownSession, mustStay: (key: string) => boolean): void {
    this.drop(key);
    this.sessions.set(key, session);
    this.bytes += session.bytes;
    for (const oldest of this.sessions.keys()) {
      if (this.bytes <= this.maxBytes || oldest === key || mustStay(oldest)) return;
      this.drop(oldest);
    }
  }

  drop(key: string): void {
    const session = this.sessions.get(key);
    if (!session) return;
    this.sessions.delete(key);
    this.bytes -= session.bytes;
  }
}
