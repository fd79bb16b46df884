import { createHmac, timingSafeEqual } from 'node:crypto';
import { base64urlBytes } from '#common';
import { type Instance, type VapidPair, vapidPairs } from 'rookery/internal/push-device';

const signatureBytes = 32;

/** The opening of a notification, and where its link leads. */
export interface Opening {
  readonly publishId: string;
  readonly deviceId: string;
  readonly to: string;
}

/**
 * The link of a notification that the browser shows itself, past the SDK's service worker: the server counts the
 * opening and leads on to `to`. The signature covers `to`, so the route leads nowhere that no publish named.
 *
 * @param publicUrl - where browsers reach the server, with the base path of its routes
 */
export function openLink(publicUrl: string, instance: Instance, opening: Opening): string {
  const { publishId, deviceId, to } = opening;
  const path = [instance.id, 'opens', publishId, deviceId].map(encodeURIComponent).join('/');
  const query = new URLSearchParams({ to, signature: signatureOf(instance, opening).toString('base64url') });
  return `${publicUrl.replace(/\/+$/, '')}/reporting_api/v2/instances/${path}?${query.toString()}`;
}

/** Whether this server made the link, with the instance's present VAPID keys or earlier ones that it keeps. */
export function isOpenLink(instance: Instance, opening: Opening, signature: unknown): boolean {
  const given = base64urlBytes(signature, signatureBytes);
  if (!given || !instance.web) return false;
  return [...vapidPairs(instance.web).values()].some((pair) =>
    timingSafeEqual(given, signatureOf(instance, opening, pair)),
  );
}

/** Keyed by the private VAPID key: unlike the secret key, it stays the same as long as the subscriptions do. */
const signatureOf = ({ id, web }: Instance, { publishId, deviceId, to }: Opening, pair?: VapidPair): Buffer =>
  createHmac('sha256', (pair ?? web)?.vapidPrivateKey ?? '')
    .update(`notification opened\n${id}\n${publishId}\n${deviceId}\n${to}`)
    .digest();
