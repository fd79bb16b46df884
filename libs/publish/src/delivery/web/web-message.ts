import { isEmpty, isObject, objectOr, without, type JsonObject } from '../json.js';
import type { Notification } from '../push.gateway.js';
import { declarativeMessage, type OpenLinkOf } from './declarative-message.js';
import { secondsLeft, timeToLiveSeconds } from '../time-to-live.js';

/** The content for all browsers of a publish, before the encryption for each (beams-wire §5.1, §11.3). */
export interface WebMessage {
  readonly plaintext: Buffer;
  /** The content for browsers that show it themselves; absent if this publish gives them too little, or too much. */
  readonly declarative?: (deviceId: string) => Buffer | undefined;
  /** `TTL`, and `Urgency` and `Topic` if given. */
  readonly headers: Readonly<Record<string, string>>;
  readonly ttlMs: number;
}

/** 4096 bytes of body minus 103 for the header, tag and delimiter of the single record. */
const maxPlaintextBytes = 3993;
/** The values of the `Urgency` header (RFC 8030 §5.3). */
export const urgencies: readonly unknown[] = ['very-low', 'low', 'normal', 'high'];

type Facts = Pick<Notification, 'payload' | 'publishId'> & { readonly instance: { readonly id: string } };

/**
 * Adds `data.pusher`, which the SDK's worker needs, and turns `time_to_live`, `urgency` and `topic` into headers.
 *
 * @param linkOf - where a click leads if the browser shows the notification itself; by default, where the publish says
 */
export function webMessage(
  facts: Facts,
  passed: number,
  linkOf: OpenLinkOf = (_, to) => to,
): WebMessage | { readonly rejected: string } {
  const fault = faultOf(facts.payload);
  if (fault) return { rejected: fault };
  const content = withTracking(facts);
  const plaintext = Buffer.from(JSON.stringify(content));
  if (plaintext.length > maxPlaintextBytes) return { rejected: 'PayloadTooLarge' };
  const seconds = timeToLiveSeconds(facts.payload.time_to_live);
  const headers = requestHeaders(facts.payload, secondsLeft(seconds, passed));
  const declarative = fitting(declarativeMessage(content, linkOf));
  return { plaintext, headers, ttlMs: seconds * 1000, ...(declarative && { declarative }) };
}

/** Nothing for a device whose content would be too large. */
function fitting(contentOf: ((deviceId: string) => Buffer) | undefined): WebMessage['declarative'] {
  if (!contentOf) return undefined;
  return (deviceId) => {
    const content = contentOf(deviceId);
    return content.length > maxPlaintextBytes ? undefined : content;
  };
}

function withTracking({ payload, instance, publishId }: Facts): JsonObject {
  const data = objectOr(payload.data);
  const pusher = {
    instanceId: instance.id,
    publishId,
    hasDisplayableContent: isObject(payload.notification),
    hasData: !isEmpty(data),
  };
  return { ...without(payload, ['time_to_live', 'urgency', 'topic', 'pusher']), data: { ...data, pusher } };
}

function requestHeaders({ urgency, topic }: JsonObject, seconds: number): Record<string, string> {
  return {
    ttl: String(seconds),
    ...(typeof urgency === 'string' && { urgency }),
    ...(typeof topic === 'string' && { topic }),
  };
}

/** Push services answer these with 400 on every device. */
function faultOf({ data, urgency, topic }: JsonObject): string | undefined {
  if (data !== undefined && !isObject(data)) return 'data is not an object';
  if (urgency !== undefined && !urgencies.includes(urgency)) return 'urgency is not very-low, low, normal or high';
  if (topic !== undefined && !(typeof topic === 'string' && /^[\w-]{1,32}$/.test(topic)))
    return 'topic is not 1 to 32 base64url characters';
  return undefined;
}
