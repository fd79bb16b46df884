import { apnsMessage, fcmMessage, type Payloads, webMessage } from 'rookery/internal/publish';
import { type Platform, platforms } from 'rookery/push-device';
import type { Preview } from '../contract/index.js';

/** An id that no publish has. */
const publishId = 'pubid-00000000-0000-0000-0000-000000000000';

/** Uses the same functions as the real delivery. */
export function previewOf(instanceId: string, payloads: Payloads, now: number): Preview {
  const errors: string[] = [];
  const made: Record<Platform, unknown> = { apns: null, fcm: null, web: null };
  for (const platform of platforms) {
    const payload = payloads[platform];
    if (payload === undefined) continue;
    const message = messages[platform]({ payload, publishId, publishedAt: now, instance: { id: instanceId } });
    if (isRejected(message)) errors.push(`${platform}: ${message.rejected}`);
    else made[platform] = message;
  }
  return { ...made, errors };
}

type Rejected = { readonly rejected: string };
const isRejected = (message: object): message is Rejected => 'rejected' in message;

const messages: Readonly<Record<Platform, (facts: Parameters<typeof apnsMessage>[0]) => object>> = {
  apns: (facts) => {
    const message = apnsMessage(facts);
    return isRejected(message) ? message : { headers: message.headers, body: jsonOf(message.body) };
  },
  fcm: (facts) => {
    const message = fcmMessage(facts, 0);
    if (isRejected(message)) return message;
    return jsonOf(Buffer.concat([message.beforeToken, Buffer.from('"<token>"'), message.afterToken]));
  },
  web: (facts) => {
    const message = webMessage(facts, 0);
    return isRejected(message) ? message : { headers: message.headers, body: jsonOf(message.plaintext) };
  },
};

const jsonOf = (bytes: Buffer): object => JSON.parse(bytes.toString()) as object; // We wrote it as an object.
