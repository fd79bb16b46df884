import type { Notification } from '../../push.gateway.js';
import { activityFault } from './activity-fault.js';
import { withTimestamp } from './with-timestamp.js';
import { customersOwn, faultyHeader, timeToLiveMs } from '../apns-message.js';

/** One update for all devices that listen to a channel (beams-wire §11.1). */
export interface BroadcastMessage {
  readonly body: Buffer;
  readonly priority: string;
  /** `apns-expiration` for a channel that keeps the latest update; the others accept only 0. */
  readonly expiration: string;
  readonly ttlMs: number;
}

const maxBytes = 5120;
/** The longest time that Apple keeps the latest update of a channel. */
const longestStoreSeconds = 8 * 3600;

/** Builds the request, or returns Apple's reason if Apple would refuse it on every channel. */
export function broadcastMessage({
  payload,
  publishedAt,
}: Pick<Notification, 'payload' | 'publishedAt'>): BroadcastMessage | { readonly rejected: string } {
  const fault = faultyHeader(payload) ?? activityFault(payload);
  if (fault) return { rejected: fault };
  const body = Buffer.from(JSON.stringify(withTimestamp(customersOwn(payload), publishedAt)));
  if (body.length > maxBytes) return { rejected: 'PayloadTooLarge' };
  const given = payload['expiration'] ?? Math.floor(publishedAt / 1000) + longestStoreSeconds;
  const expiration = String(Number(given));
  const priority = String(Number(payload['priority'] ?? 10));
  return { body, priority, expiration, ttlMs: timeToLiveMs(expiration, publishedAt) };
}
