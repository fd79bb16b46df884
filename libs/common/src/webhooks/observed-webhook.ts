import { loggedUrl } from '../logged-url.js';
import type { TryOutcome } from './webhook-client.js';
import type { WebhookDelivery } from './webhook-delivery.js';

/** An attempt to deliver a webhook. */
export interface ObservedWebhook {
  /** Without possible secrets. */
  readonly url: string;
  /** The names of the events in it. */
  readonly events: readonly string[];
  /** 1 for the first try. */
  readonly attempt: number;
  /** The endpoint's status, if it answered. */
  readonly status: number | null;
  /** Why it failed; null if it was accepted. */
  readonly error: string | null;
  /** The beginning of the endpoint's answer, if it had a body. */
  readonly answer?: string;
  /** When the next attempt is due, in epoch milliseconds; null if there is none. */
  readonly nextAt: number | null;
}

/** Describes an attempt, without headers. @param retries how often a new webhook is tried again */
export function observedWebhook(
  { url, body, retryDelaysMs, expiresAt }: WebhookDelivery,
  tried: TryOutcome,
  retries: number,
  now: number,
): ObservedWebhook {
  const [delayMs = Infinity] = retryDelaysMs;
  const isTriedAgain = tried.outcome === 'failed' && now + delayMs <= expiresAt;
  return {
    url: loggedUrl(url),
    events: webhookEventsIn(body),
    attempt: retries - retryDelaysMs.length + 1,
    status: tried.status ?? null,
    error: tried.outcome === 'accepted' ? null : tried.reason,
    ...(tried.answer !== undefined && { answer: tried.answer }),
    nextAt: isTriedAgain ? now + delayMs : null,
  };
}

/** The bodies of an app's webhooks, of mirrored triggers and listener calls, of an instance's webhooks, of `webhookUrl`. */
interface Body {
  readonly events?: readonly { readonly name: string }[];
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
