import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import { base64urlBytes } from '#common';
import type { App } from '../../app/app.js';
import { validSecretsOf } from '../../protocol/credentials.js';

const [timeBytes, randomSize, signatureBytes] = [6, 10, 16];
const contentBytes = timeBytes + randomSize;

/** The tolerated difference of the clocks of two processes, each of which may be an hour off. */
const maxAheadMs = 2 * 3_600_000;

/**
 * The name of an event that asks for receipts: when it was triggered and a random number, signed for its app and channel.
 * So no store need know it before its first receipt, and no client can make one up.
 */
export function newReceipt(app: App, channel: string, now: number): string {
  const content = randomBytes(contentBytes);
  content.writeUIntBE(Math.floor(now), 0, timeBytes);
  return Buffer.concat([content, signatureOf(app.id, app.secret, channel, content)]).toString('base64url');
}

/** Whether it names an event that the app's servers sent to the channel. */
export function isReceiptOf(app: App, channel: string, receipt: string, now: number): boolean {
  const bytes = base64urlBytes(receipt, contentBytes + signatureBytes);
  if (!bytes || triggeredAt(receipt, now) === undefined) return false;
  const content = bytes.subarray(0, contentBytes);
  const given = bytes.subarray(contentBytes);
  return validSecretsOf(app).some((secret) => timingSafeEqual(given, signatureOf(app.id, secret, channel, content)));
}

/**
 * When its event was triggered, in epoch milliseconds, and not after now, whatever its process's clock said; undefined
 * for text that is not a receipt, and for a receipt from the future: a holder of the app's secret can sign any time.
 */
export function triggeredAt(receipt: string, now: number): number | undefined {
  const at = base64urlBytes(receipt, contentBytes + signatureBytes)?.readUIntBE(0, timeBytes);
  return at === undefined || at > now + maxAheadMs ? undefined : Math.min(at, now);
}

/** The prefix is unique among the texts signed with the secret. */
const signatureOf = (appId: string, secret: string, channel: string, content: Buffer): Buffer =>
  createHmac('sha256', secret)
    .update(`receipt\n${appId}\n${channel}\n`)
    .update(content)
    .digest()
    .subarray(0, signatureBytes);
