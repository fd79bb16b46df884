import { createHmac } from 'node:crypto';
import type { WebhookRequest } from '#webhooks';
import type { Instance, InstanceWebhook } from 'rookery/push-device';
import { stableUuid } from './stable-uuid.js';
import { tryTimes } from './try-times.js';

/** The three events of configured webhooks (beams-wire §7.1). */
export type InstanceEvent =
  | {
      readonly type: 'v1.PublishToUsersAttempt';
      readonly payload: {
        readonly instance_id: string;
        readonly publish_id: string;
        readonly users_delivered_to_gateway: readonly string[];
        readonly users_no_devices: readonly string[];
        readonly users_gateway_failed: readonly string[];
      };
    }
  | {
      readonly type: 'v1.UserNotificationAcknowledgement' | 'v1.UserNotificationOpen';
      readonly payload: { readonly instance_id: string; readonly publish_id: string; readonly user_id: string };
    };

/** One request for each of the instance's webhooks that subscribe to the event. The same event has the same `name`. */
export const instanceEventRequests = (
  instance: Instance,
  event: InstanceEvent,
  name: string,
  now: number,
): readonly WebhookRequest[] =>
  (instance.webhooks ?? [])
    .filter(({ events = [] }) => events.length === 0 || events.includes(event.type))
    .map((webhook) => instanceEventRequest(instance, webhook, event, name, now));

/** Stays the same while the webhook is in the configuration, even with a new secret; distinct for repeated URLs. */
function idOf({ id: owner, webhooks = [] }: Instance, webhook: InstanceWebhook): string {
  const { url } = webhook;
  const repeats = webhooks.slice(0, webhooks.indexOf(webhook)).filter((other) => other.url === url).length;
  return stableUuid(repeats === 0 ? `${owner} ${url}` : `${owner} ${url} ${repeats}`);
}

/** The request of an event to one of the instance's webhooks. */
export function instanceEventRequest(
  instance: Instance,
  webhook: InstanceWebhook,
  { type, payload }: InstanceEvent,
  name: string,
  now: number,
): WebhookRequest {
  const { url, secret, customData = {} } = webhook;
  const webhookId = idOf(instance, webhook);
  const id = stableUuid(`${webhookId} ${name}`);
  const metadata = { created_at: timestamp(now), event_type: type, event_id: stableUuid(name), product: 'beams' };
  const body = JSON.stringify({ payload, metadata, custom_data: customData });
  const headers = {
    'User-Agent': 'pusher-webhooks',
    'Content-Type': 'application/json',
    'Webhook-Event-Type': type,
    'Webhook-ID-UUID': webhookId,
    'Webhook-Request-ID-UUID': id,
    'Webhook-Signature': signatureOf(body, secret),
  };
  return { id, owner: instance.id, url, headers, body, ...tryTimes(now) };
}

/** The HMAC-SHA1 of a body, in lower-case hexadecimal. */
export const signatureOf = (body: string | Buffer, secret: string): string =>
  createHmac('sha1', secret).update(body).digest('hex');

/** `2019-03-11T10:42:16+0000`: the offset has no colon (§7.1). */
export const timestamp = (now: number): string => new Date(now).toISOString().replace(/\.\d+Z$/, '+0000');
