import { FetchFailed, type FetchedAnswer, type SafeFetch } from '#common';
import { fcmKey, type FcmServiceAccount } from 'rookery/internal/push-device';
import { type JsonObject, objectOr, parseJson } from '../json.js';
import { PlatformFault, SendLater } from '../push.gateway.js';
import { laterAfter } from '../send-failure.js';
import { asksForLater, retryAfterMs } from '../retry-after.js';

const googleTokens = 'https://oauth2.googleapis.com/token';
const scope = 'https://www.googleapis.com/auth/firebase.messaging';
const noAccessToken = 'NoAccessToken';
const grantType = 'urn:ietf:params:oauth:grant-type:jwt-bearer';
/** A new token is requested while the old one is still valid. */
const renewBeforeExpiryMs = 5 * 60 * 1000;
const betweenEarlyRenewalsMs = 10 * 1000;
/** The longest wait for a requested token; later callers fail at once, because they would only block slots. */
const patienceMs = 3000;
/** How many characters of an error's description to pass on. */
const longestDescription = 300;
const firstRestMs = 1000;
const longestRestMs = 30 * 1000;

/** The OAuth access token of a service account, as a complete `authorization` header (beams-wire §11.2). */
export class AccessToken {
  private bearer?: string;
  private expiresAt = 0;
  private renewAt = 0;
  private fetching?: Promise<string>;
  private askedAt = 0;
  /** Consecutive failures, and the time before which no new request is made because of them. */
  private failures = 0;
  private restsUntil = 0;
  /** Why the last request failed, if it did. */
  private reason = noAccessToken;

  constructor(
    private readonly account: FcmServiceAccount,
    private readonly fetch: SafeFetch,
    private readonly now: () => number,
    /** Measures durations; it never goes backwards. */
    private readonly steady = now,
  ) {}

  /** Returns the current token, or requests one. Concurrent callers share the request. */
  current(): string | Promise<string> {
    const now = this.steady();
    if (this.bearer === undefined || now >= this.expiresAt) return this.fetched();
    if (now >= this.renewAt) this.renewEarly(now);
    return this.bearer;
  }

  /** Returns a newer token after Google refused `refused`. */
  renewed(refused: string): string | Promise<string> {
    if (refused === this.bearer) this.bearer = undefined;
    return this.current();
  }

  private renewEarly(now: number): void {
    this.renewAt = now + betweenEarlyRenewalsMs;
    // The old token still works; if renewal keeps failing, sends after its expiry report the error.
    this.fetched().catch(() => {});
  }

  private fetched(): Promise<string> {
    const isSlow = this.fetching && performance.now() - this.askedAt > patienceMs;
    const restMs = isSlow ? patienceMs : this.restsUntil - this.steady();
    if (restMs > 0) return Promise.reject(new SendLater(this.reason, restMs));
    if (!this.fetching) this.askedAt = performance.now();
    this.fetching ??= this.asked().finally(() => (this.fetching = undefined));
    return this.fetching;
  }

  private async asked(): Promise<string> {
    try {
      const bearer = await this.ask();
      this.failures = 0;
      this.reason = noAccessToken;
      return bearer;
    } catch (error) {
      if (error instanceof SendLater) this.rest(error);
      throw error;
    }
  }

  /** Without a rest, every send would request a token, and block a slot while it waits. */
  private rest({
    reason,
    retryAfterMs: wishMs = Math.min(longestRestMs, firstRestMs * 2 ** this.failures),
  }: SendLater) {
    this.reason = reason;
    this.failures = Math.min(this.failures + 1, 10);
    this.restsUntil = this.steady() + wishMs;
  }

  private async ask(): Promise<string> {
    const url = this.account.token_uri ?? googleTokens;
    const form = new URLSearchParams({ grant_type: grantType, assertion: await this.assertion(url) });
    const headers = { 'content-type': 'application/x-www-form-urlencoded' };
    return this.taken(await this.post(url, { headers, body: form.toString() }));
  }

  private async post(url: string, request: { headers: Record<string, string>; body: string }): Promise<FetchedAnswer> {
    try {
      return await this.fetch.request(url, request);
    } catch (error) {
      if (error instanceof FetchFailed) throw new SendLater(`${noAccessToken} (${laterAfter(error).reason})`);
      throw new PlatformFault(`The token_uri of ${this.account.client_email} is not a URL that can be requested`);
    }
  }

  private taken(answer: FetchedAnswer): string {
    const told = objectOr(parseJson(answer.body));
    const { access_token: token, expires_in: seconds } = told;
    const waitMs = retryAfterMs(answer.headers['retry-after'], this.now());
    if (answer.status !== 200 && asksForLater(answer.status, waitMs))
      throw new SendLater(`${noAccessToken} (HTTP ${answer.status})`, waitMs);
    if (answer.status !== 200 || typeof token !== 'string')
      throw new PlatformFault(
        `Google gives ${this.account.client_email} no access token: ${refusalIn(told) ?? `HTTP ${answer.status}`}`,
      );
    this.expiresAt = this.steady() + (typeof seconds === 'number' ? seconds : 3600) * 1000;
    this.renewAt = this.expiresAt - renewBeforeExpiryMs;
    return (this.bearer = `Bearer ${token}`);
  }

  private async assertion(audience: string): Promise<string> {
    const { client_email: issuer, private_key: key, private_key_id: kid } = this.account;
    const now = Math.floor(this.now() / 1000);
    const { SignJWT } = await import('jose');
    try {
      return await new SignJWT({ iss: issuer, scope, aud: audience, iat: now, exp: now + 3600 })
        .setProtectedHeader({ alg: 'RS256', typ: 'JWT', ...(kid !== undefined && { kid }) })
        .sign(fcmKey(key));
    } catch {
      // Without the cause, which may quote the key.
      throw new PlatformFault(`The private_key of ${issuer} is not that of a Google service account file`);
    }
  }
}

/** Google's error and its description, which names the cause, such as a clock that is wrong. */
function refusalIn({ error, error_description: description }: JsonObject): string | undefined {
  if (typeof error !== 'string') return undefined;
  return typeof description === 'string' ? `${error}: ${description.slice(0, longestDescription)}` : error;
}
