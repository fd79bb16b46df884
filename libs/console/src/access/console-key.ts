import { createHash, createHmac, randomBytes, scryptSync, timingSafeEqual } from 'node:crypto';

const sessionSeconds = 12 * 60 * 60;

/** Compares digests: they are of one length, whatever is given. */
const digest = (text: string): Buffer => createHash('sha256').update(text).digest();
const same = (left: string, right: string): boolean => timingSafeEqual(digest(left), digest(right));

/**
 * What the password opens. Sessions are kept by nobody: a cookie says when it ends, under a key that follows from the
 * password, so that all processes that know it accept it, and another password ends all of them.
 */
export class ConsoleKey {
  /** Slow to derive: whoever has a cookie cannot try many passwords on it. */
  private readonly key: Buffer;

  constructor(private readonly password: string) {
    this.key = scryptSync(password, 'rookery console session', 32);
  }

  static readonly sessionSeconds = sessionSeconds;

  /** Whether it is the password, in a time that does not depend on where it differs. */
  opens(given: string): boolean {
    return same(given, this.password);
  }

  newSession(now: number): string {
    const content = `${now + sessionSeconds * 1000}.${randomValue()}`;
    return `${content}.${this.sealOf(content)}`;
  }

  /** Whether a cookie is one of ours and still good. */
  isSession(cookie: string, now: number): boolean {
    const [ends = '', random = '', seal = ''] = cookie.split('.');
    return same(seal, this.sealOf(`${ends}.${random}`)) && now < Number(ends);
  }

  private sealOf(content: string): string {
    return createHmac('sha256', this.key).update(content).digest('base64url');
  }
}

/** 256 bits that nobody can guess. */
export const randomValue = (): string => randomBytes(32).toString('base64url');

/** What requests with this cookie must say besides: only a page of ours can have read it. */
export const csrfTokenOf = (cookie: string): string => createHmac('sha256', cookie).update('csrf').digest('base64url');

export const isCsrfTokenOf = (cookie: string, given: string): boolean => same(given, csrfTokenOf(cookie));
