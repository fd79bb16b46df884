import { loggedUrl } from '#common';
import type { ObservedWebhook } from './observed-webhook.js';
import type { TryOutcome } from './webhook-client.js';
import type { WebhookDelivery } from './webhook-delivery.js';

/** Describes an attempt, without headers. @param retries how often a new webhook is tried again */
export function observedWebhook(
  { id, url, body, createdAt, retryDelaysMs, expiresAt }: WebhookDelivery,
  tried: TryOutcome,
  retries: number,
  now: number,
): ObservedWebhook {
  const [delayMs = Infinity] = retryDelaysMs;
  const isTriedAgain = tried.outcome === 'failed' && now + delayMs <= expiresAt;
  return {
    id,
    ...(createdAt !== undefined && { createdAt }),
    url: loggedUrl(url),
    events: webhookEventsIn(body),
    attempt: retries - retryDelaysMs.length + 1,
    status: tried.status ?? null,
    error: tried.outcome === 'accepted' ? null : tried.reason,
    ...(tried.answer !== undefined && { answer: tried.answer }),
    nextAt: isTriedAgain ? now + delayMs : null,
  };
}

/** The bodies of an app's webhooks, of forwarded triggers and listener calls, of an instance's webhooks, of `webhookUrl`. */
interface Body {
  readonly events?: readonly { readonly name: string; readonly channel?: string }[];
  readonly name?: string;
  readonly metadata?: { readonly event_type?: string };
  readonly status?: string;
}

/** The names of the events in a webhook's body. */
export function webhookEventsIn(body: string): readonly string[] {
  const { events, name, metadata, status } = JSON.parse(body) as Body;
  const one = name ?? metadata?.event_type ?? status;
  return events?.map((each) => each.name) ?? (one === undefined ? [] : [one]);
}

/** The channel of all events in an app's webhook; `undefined` for several channels, or none. */
export function webhookChannelIn(body: string): string | undefined {
  const { events = [] } = JSON.parse(body) as Body;
  const channel = events[0]?.channel;
  return events.every((each) => each.channel === channel) ? channel : undefined;
}
