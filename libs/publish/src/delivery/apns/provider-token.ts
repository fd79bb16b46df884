import { apnsKey, type ApnsCredentials } from 'rookery/internal/push-device';
import { PlatformFault } from '../push.gateway.js';

/** Apple accepts a token for an hour, and answers 429 to more than one new token in 20 minutes (beams-wire §11.1). */
const renewAfterMs = 50 * 60 * 1000;
const shortestRenewalMs = 20 * 60 * 1000;

/** The provider token of a team's key, as a complete `authorization` header. */
export class ProviderToken {
  private bearer?: Promise<string>;
  /** The signed token; absent while it is being signed. */
  private text?: string;
  private signedAt = -Infinity;
  private renewedEarlyAt = -Infinity;

  constructor(
    private readonly credentials: ApnsCredentials,
    private readonly now: () => number,
    /** Measures durations; it never goes backwards. */
    private readonly steady = now,
  ) {}

  /** The current token; a new one once it is 50 minutes old. Concurrent callers share one signature. */
  current(): Promise<string> {
    const fresh = this.steady() - this.signedAt < renewAfterMs;
    return this.bearer && fresh ? this.bearer : this.sign();
  }

  /**
   * Call it when Apple reports that `refused` has expired, so a clock is wrong. Returns a newer token, or `undefined`
   * if the last such renewal was less than 20 minutes ago: Apple would answer 429 to another.
   */
  async renewed(refused: string): Promise<string | undefined> {
    if (refused !== this.text) return this.current();
    if (this.steady() - this.renewedEarlyAt < shortestRenewalMs) return undefined;
    this.renewedEarlyAt = this.steady();
    return this.sign();
  }

  private sign(): Promise<string> {
    this.signedAt = this.steady();
    this.text = undefined;
    this.bearer = this.signed();
    return this.bearer;
  }

  /** A failed signature is not kept, and rejects for every waiting caller. */
  private async signed(): Promise<string> {
    try {
      return (this.text = await signature(this.credentials, this.now()));
    } catch (error) {
      this.bearer = undefined;
      throw error;
    }
  }
}

async function signature({ key, keyId, teamId }: ApnsCredentials, now: number): Promise<string> {
  const { SignJWT } = await import('jose');
  try {
    const jwt = new SignJWT({ iss: teamId, iat: Math.floor(now / 1000) });
    const signed = await jwt.setProtectedHeader({ alg: 'ES256', kid: keyId }).sign(apnsKey(key));
    return `bearer ${signed}`;
  } catch {
    // Without the cause, which may quote the key.
    throw new PlatformFault(`The APNs key ${keyId} is not the text of an Apple .p8 file`);
  }
}
