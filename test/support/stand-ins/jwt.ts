import { createPublicKey, verify, type KeyObject } from 'node:crypto';

/** A JWT taken apart; the signature is checked by hand, so that stand-ins share nothing with what they test. */
export interface Jwt {
  readonly header: Readonly<Record<string, unknown>>;
  readonly claims: Readonly<Record<string, unknown>>;
}

export function verifiedJwt(text: string, algorithm: 'ES256' | 'RS256', key: KeyObject): Jwt | undefined {
  const [header = '', claims = '', signature = ''] = text.split('.');
  const publicKey = key.type === 'public' ? key : createPublicKey(key);
  const options = { key: publicKey, ...(algorithm === 'ES256' && { dsaEncoding: 'ieee-p1363' as const }) };
  const signed = Buffer.from(`${header}.${claims}`);
  if (!verify('sha256', signed, options, Buffer.from(signature, 'base64url'))) return undefined;
  const jwt = { header: decoded(header), claims: decoded(claims) };
  return jwt.header.alg === algorithm ? jwt : undefined;
}

function decoded(part: string): Readonly<Record<string, unknown>> {
  return JSON.parse(Buffer.from(part, 'base64url').toString()) as Record<string, unknown>;
}
