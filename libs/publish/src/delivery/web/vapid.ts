import type { importJWK } from 'jose';
import { isVapidPair, isVapidSubject, type VapidPair } from 'rookery/internal/push-device';
import { PlatformFault } from '../push.gateway.js';

/** Push services accept up to 24 hours (RFC 8292); half of that tolerates inaccurate clocks. */
const lifetimeMs = 12 * 3600 * 1000;
const renewAfterMs = 6 * 3600 * 1000;
/** Any client can register a device, so origins are untrusted. */
const maxOrigins = 1000;

/** One pair, and the contact of its instance. */
export type VapidCredentials = VapidPair & { readonly subject: string };

type SigningKey = Awaited<ReturnType<typeof importJWK>>;

/** The VAPID authorization of one key pair, with one header per push service, cached for hours (beams-wire §11.3). */
export class Vapid {
  private readonly headers = new Map<string, { readonly value: Promise<string>; readonly signedAt: number }>();
  private key?: Promise<SigningKey>;

  /** Throws PlatformFault if the keys do not match or the subject is invalid. */
  constructor(
    private readonly credentials: VapidCredentials,
    private readonly now: () => number,
    /** Measures durations; it never goes backwards. */
    private readonly steady = now,
  ) {
    if (!isVapidSubject(credentials.subject))
      throw new PlatformFault('The VAPID subject must be a mailto: or https: address of yours, not at localhost');
    if (!isVapidPair(credentials))
      throw new PlatformFault('vapidPublicKey and vapidPrivateKey are not a P-256 key pair in base64url');
  }

  /** By which push services know the site. */
  get publicKey(): string {
    return this.credentials.vapidPublicKey;
  }

  /** `vapid t=<jwt>, k=<public key>` for the push service at `origin`. */
  authorization(origin: string): Promise<string> {
    const now = this.steady();
    const kept = this.headers.get(origin);
    if (kept && now - kept.signedAt < renewAfterMs) return kept.value;
    const value = this.sign(origin);
    this.headers.delete(origin);
    this.headers.set(origin, { value, signedAt: now });
    this.forgetOldest();
    return value;
  }

  private forgetOldest(): void {
    if (this.headers.size <= maxOrigins) return;
    for (const oldest of this.headers.keys()) return void this.headers.delete(oldest);
  }

  private async sign(audience: string): Promise<string> {
    this.key ??= signingKey(this.credentials);
    const exp = Math.floor((this.now() + lifetimeMs) / 1000);
    const { SignJWT } = await import('jose');
    const jwt = new SignJWT({ aud: audience, exp, sub: this.credentials.subject });
    const token = await jwt.setProtectedHeader({ typ: 'JWT', alg: 'ES256' }).sign(await this.key);
    return `vapid t=${token}, k=${unpadded(this.credentials.vapidPublicKey)}`;
  }
}

async function signingKey({ vapidPublicKey, vapidPrivateKey }: VapidPair): Promise<SigningKey> {
  const { importJWK } = await import('jose');
  const point = Buffer.from(vapidPublicKey, 'base64url');
  return importJWK(
    {
      kty: 'EC',
      crv: 'P-256',
      x: point.subarray(1, 33).toString('base64url'),
      y: point.subarray(33).toString('base64url'),
      d: padded(Buffer.from(vapidPrivateKey, 'base64url')).toString('base64url'),
    },
    'ES256',
  );
}

/** Some tools strip leading zeros from a key; JWK requires all 32 bytes. */
function padded(scalar: Buffer): Buffer {
  return Buffer.concat([Buffer.alloc(Math.max(0, 32 - scalar.length)), scalar]);
}

function unpadded(key: string): string {
  return Buffer.from(key, 'base64url').toString('base64url');
}
