import { loggedUrl, type TryOutcome, type WebhookDelivery } from 'rookery/common';
import type { Observed } from '../lifecycle/activity-tap.js';
import { retryDelays } from './retry-delays.js';
import type { WebhookSettings } from '../channels.options.js';

/** Reports a delivery attempt to the activity tap, without headers and without possible secrets in the URL. */
export function observedTry(
  { owner, url, body, retryDelaysMs, expiresAt }: WebhookDelivery,
  tried: TryOutcome,
  { retryMs, timeoutMs }: WebhookSettings,
  now: number,
): Observed {
  const [delayMs = Infinity] = retryDelaysMs;
  const isTriedAgain = tried.outcome === 'failed' && now + delayMs <= expiresAt;
  const webhook = {
    url: loggedUrl(url),
    events: eventsIn(body),
    attempt: retryDelays(retryMs - timeoutMs).length - retryDelaysMs.length + 1,
    status: tried.status ?? null,
    error: tried.outcome === 'accepted' ? null : tried.reason,
    ...(tried.answer !== undefined && { answer: tried.answer }),
    nextAt: isTriedAgain ? now + delayMs : null,
  };
  return { appId: owner, kind: 'webhook', data: body, webhook };
}

/** The names in `{"time_ms":…,"events":[{"name":"channel_occupied",…}]}`; other bodies go to a mirror. */
const eventsIn = (body: string): readonly string[] =>
  (JSON.parse(body) as { events?: { name: string }[] }).events?.map(({ name }) => name) ?? [];
