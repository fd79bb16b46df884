import { ECDH } from 'node:crypto';
import { isObject } from '#common';
import { refusals } from './push-device.errors.js';

/** Longer than any push service's, and short enough for the head of a request. */
export const maxEndpointLength = 2048;

/** A browser's PushSubscription, taken from a web device's token and checked. */
export interface WebSubscription {
  readonly endpoint: string;
  /** 65 bytes: an uncompressed point of P-256. */
  readonly p256dh: Buffer;
  /** 16 bytes. */
  readonly auth: Buffer;
}

/**
 * Reads a web token: base64 of the JSON of a PushSubscription (beams-wire §2.2). Throws the refusal that names the
 * fault. Whether the endpoint's host is allowed is the gateway's to know.
 */
export function parseWebToken(token: string, { allowHttp = false } = {}): WebSubscription {
  const subscription = parsed(token);
  const keys = isObject(subscription) ? subscription['keys'] : undefined;
  if (!isObject(subscription) || !isObject(keys))
    throw refusals.invalidSubscription('the token is not the base64 of its JSON');
  return {
    endpoint: endpointOf(subscription['endpoint'], allowHttp),
    p256dh: pointOf(keys['p256dh']),
    auth: bytesOf('auth', keys['auth'], 16),
  };
}

function parsed(token: string): unknown {
  try {
    return JSON.parse(Buffer.from(token, 'base64').toString());
  } catch {
    // The caller answers it like any token without a subscription.
    return undefined;
  }
}

function endpointOf(endpoint: unknown, allowHttp: boolean): string {
  const url = typeof endpoint === 'string' && URL.canParse(endpoint) ? new URL(endpoint) : undefined;
  const isAllowed = url?.protocol === 'https:' || (allowHttp && url?.protocol === 'http:');
  if (!url || !isAllowed) throw refusals.invalidSubscription('`endpoint` must be an https URL');
  // Chrome's, once a subscription has ended (RFC 6761 §6.4).
  if (url.hostname.endsWith('.invalid'))
    throw refusals.invalidSubscription('`endpoint` is in the domain `.invalid`: the subscription has ended');
  if (url.href.length > maxEndpointLength)
    throw refusals.invalidSubscription(`\`endpoint\` must have at most ${maxEndpointLength} characters`);
  return url.href;
}

function pointOf(text: unknown): Buffer {
  const point = bytesOf('p256dh', text, 65);
  try {
    ECDH.convertKey(point, 'prime256v1');
    return point;
  } catch {
    throw refusals.invalidSubscription('`keys.p256dh` is not a point of P-256');
  }
}

function bytesOf(name: string, text: unknown, length: number): Buffer {
  const bytes = typeof text === 'string' ? Buffer.from(text, 'base64url') : undefined;
  if (bytes?.length !== length) throw refusals.invalidSubscription(`\`keys.${name}\` must be ${length} bytes`);
  return bytes;
}
