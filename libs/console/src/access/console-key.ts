import { createHash, createHmac, randomBytes, scryptSync, timingSafeEqual } from 'node:crypto';

/** Compares digests: they are of one length, whatever is given. */
const digest = (text: string): Buffer => createHash('sha256').update(text).digest();
const same = (left: string, right: string): boolean => timingSafeEqual(digest(left), digest(right));

/**
 * What the password opens. Sessions are kept under a name that follows from the cookie and the password: what is stored
 * opens nothing, and with another password no cookie of before names a session.
 */
export class ConsoleKey {
  /** Slow to derive: whoever has a cookie and what is stored cannot try many passwords on them. */
  private readonly key: Buffer;

  constructor(private readonly password: string) {
    this.key = scryptSync(password, 'rookery console session', 32);
  }

  /** Whether it is the password, in a time that does not depend on where it differs. */
  opens(given: string): boolean {
    return same(given, this.password);
  }

  /** Under which name the session of a cookie is kept; none where it is no cookie of ours. */
  sessionOf(cookie: string | undefined): string | undefined {
    if (cookie === undefined || !/^[\w-]{43}$/.test(cookie)) return undefined;
    return createHmac('sha256', this.key).update(cookie).digest('base64url');
  }
}

/** 256 bits that nobody can guess: 43 characters. */
export const randomValue = (): string => randomBytes(32).toString('base64url');

/** What requests with this cookie must say besides: only a page of ours can have read it. */
export const csrfTokenOf = (cookie: string): string => createHmac('sha256', cookie).update('csrf').digest('base64url');

export const isCsrfTokenOf = (cookie: string, given: string): boolean => same(given, csrfTokenOf(cookie));
