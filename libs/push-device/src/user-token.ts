import { isObject, type JsonObject } from '#common';
import type { Instance } from './instance.js';
import { secretKeysOf } from './instances/secret-keys.js';
import { refusals } from './push-device.errors.js';
import { isUserId } from './user-id.js';

/** The tolerated clock difference between a customer's server and ours. */
const leewaySeconds = 60;

/**
 * Verifies a Beams token: a JWT that the customer's server signed with the instance's secret key (beams-wire §4).
 *
 * @returns the user id, its subject. Throws the refusal otherwise.
 */
export async function verifyUserToken(token: string, instance: Instance, nowMs: number): Promise<string> {
  const claims = await signedClaims(token, secretKeysOf(instance));
  const nowSeconds = nowMs / 1000;
  if (claims['exp'] === undefined) throw refusals.missingExpiration();
  if (timeOf(claims['exp']) < nowSeconds - leewaySeconds) throw refusals.invalidClaims('Token is expired');
  if (timeOf(claims['iat'] ?? 0) > nowSeconds + leewaySeconds) throw refusals.invalidClaims('Token used before issued');
  if (timeOf(claims['nbf'] ?? 0) > nowSeconds + leewaySeconds) throw refusals.invalidClaims('Token is not valid yet');
  return subjectOf(claims, instance.id);
}

/** Signs a user's token, which {@link verifyUserToken} accepts for `lifeSeconds`. */
export async function signUserToken(
  userId: string,
  instance: Instance,
  nowMs: number,
  lifeSeconds: number,
): Promise<string> {
  const { SignJWT } = await import('jose');
  // Whole seconds: the hosted service takes no fractions (beams-wire §4).
  const issuedAt = Math.floor(nowMs / 1000);
  return new SignJWT({
    sub: userId,
    iss: `https://${issuerHost(instance.id)}`,
    iat: issuedAt,
    exp: issuedAt + lifeSeconds,
  })
    .setProtectedHeader({ alg: 'HS256', typ: 'JWT' })
    .sign(new TextEncoder().encode(instance.secretKey));
}

/** @returns the token of an `Authorization: Bearer` header */
export function bearerToken(authorization: string | undefined): string {
  if (!authorization) throw refusals.missingAuthorization();
  const [, token] = /^Bearer +(\S+) *$/i.exec(authorization) ?? [];
  if (!token) throw refusals.malformedAuthorization();
  return token;
}

function subjectOf({ sub, iss }: JsonObject, instanceId: string): string {
  if (sub === undefined) throw refusals.missingSubject();
  if (typeof sub !== 'string' || !isUserId(sub)) throw refusals.invalidSubject();
  if (iss === undefined) throw refusals.missingIssuer();
  if (!isIssuer(iss, instanceId)) throw refusals.invalidIssuer();
  return sub;
}

/** One SDK omits the scheme (beams-wire §0.14). */
function isIssuer(issuer: unknown, instanceId: string): boolean {
  const host = issuerHost(instanceId);
  return typeof issuer === 'string' && [host, `https://${host}`].includes(issuer.toLowerCase());
}

const issuerHost = (instanceId: string): string => `${instanceId}.pushnotifications.pusher.com`.toLowerCase();

async function signedClaims(token: string, [secretKey = '', ...others]: readonly string[]): Promise<JsonObject> {
  const { compactVerify, errors } = await import('jose');
  try {
    const { payload } = await compactVerify(token, new TextEncoder().encode(secretKey), { algorithms: ['HS256'] });
    const claims: unknown = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(payload));
    if (isObject(claims)) return claims;
  } catch (error) {
    if (error instanceof errors.JWSSignatureVerificationFailed) {
      if (others.length > 0) return signedClaims(token, others);
      throw refusals.invalidSignature();
    }
  }
  throw refusals.malformedAuthorization();
}

/** A claim's time in seconds. A value that is not a number refuses the token. */
function timeOf(claim: unknown): number {
  if (typeof claim !== 'number') throw refusals.malformedAuthorization();
  return claim;
}
