import { createHash, createHmac, randomBytes, scrypt, timingSafeEqual } from 'node:crypto';
import { promisify } from 'node:util';

/** Compares digests, which have the same length for any input. */
const digest = (text: string): Buffer => createHash('sha256').update(text).digest();
const same = (left: string, right: string): boolean => timingSafeEqual(digest(left), digest(right));

/**
 * Derives the console's secrets from the password. Sessions are stored under a name derived from the cookie and the
 * password: the stored names grant no access, and a new password invalidates all earlier cookies.
 */
export class ConsoleKey {
  private key: Promise<Buffer> | undefined;

  constructor(private readonly password: string) {}

  /** Whether it is the password, compared in constant time. */
  opens(given: string): boolean {
    return same(given, this.password);
  }

  /** The name under which a cookie's session is stored; undefined for an invalid cookie. */
  async sessionOf(cookie: string | undefined): Promise<string | undefined> {
    if (cookie === undefined || !/^[\w-]{43}$/.test(cookie)) return undefined;
    this.key ??= derived(this.password);
    return createHmac('sha256', await this.key)
      .update(cookie)
      .digest('base64url');
  }
}

/**
 * Slow to derive: an attacker with a cookie and the stored names cannot try many passwords. It also takes 16 MB, so it is
 * derived for the first session, not when the process starts.
 */
const derived = (password: string): Promise<Buffer> =>
  promisify<string, string, number, Buffer>(scrypt)(password, 'rookery console session', 32);

/** 256 random bits: 43 characters. */
export const randomValue = (): string => randomBytes(32).toString('base64url');

/** The token that requests with this cookie must also send; only the console's pages can read it. */
export const csrfTokenOf = (cookie: string): string => createHmac('sha256', cookie).update('csrf').digest('base64url');

export const isCsrfTokenOf = (cookie: string, given: string): boolean => same(given, csrfTokenOf(cookie));
