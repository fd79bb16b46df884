import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import type { App } from '../../app/app.js';
import { isValid } from '../../protocol/credentials.js';

const [timeBytes, randomSize, signatureBytes] = [6, 10, 16];
const contentBytes = timeBytes + randomSize;

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
export function isReceiptOf(app: App, channel: string, receipt: string): boolean {
  const bytes = Buffer.from(receipt, 'base64url');
  if (bytes.length !== contentBytes + signatureBytes) return false;
  const content = bytes.subarray(0, contentBytes);
  const given = bytes.subarray(contentBytes);
  const secrets = [app.secret, ...app.keys.filter((key) => isValid(key)).map(({ secret }) => secret)];
  return secrets.some((secret) => timingSafeEqual(given, signatureOf(app.id, secret, channel, content)));
}

/** When its event was triggered, in epoch milliseconds; undefined for what is no receipt. */
export function triggeredAt(receipt: string): number | undefined {
  return /^[\w-]{43}$/.test(receipt) ? Buffer.from(receipt, 'base64url').readUIntBE(0, timeBytes) : undefined;
}

/** The prefix is unique among the texts signed with the secret. */
const signatureOf = (appId: string, secret: string, channel: string, content: Buffer): Buffer =>
  createHmac('sha256', secret)
    .update(`receipt\n${appId}\n${channel}\n`)
    .update(content)
    .digest()
    .subarray(0, signatureBytes);
