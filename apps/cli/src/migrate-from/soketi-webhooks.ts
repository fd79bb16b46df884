import type { OtherSettings } from './other-settings.js';
import { object, text, texts } from './values.js';

/** Rookery's names of soketi's events; soketi's documentation has another name for one of them. */
const events = new Map([
  ['channel_occupied', 'channel_occupied'],
  ['channel_vacated', 'channel_vacated'],
  ['member_added', 'member_added'],
  ['member_removed', 'member_removed'],
  ['client_event', 'client_event'],
  ['cache_miss', 'cache_miss'],
  ['cache_missed', 'cache_miss'],
  ['subscription_count', 'subscription_count'],
]);

/** The webhooks of an app; undefined if there are none. */
export function soketiWebhooks(app: OtherSettings, note: (text: string) => void): readonly object[] | undefined {
  const webhooks = (app.list('webhooks') ?? []).flatMap((webhook) => webhookOf(webhook, note) ?? []);
  return webhooks.length > 0 ? webhooks : undefined;
}

function webhookOf(webhook: OtherSettings, note: (text: string) => void): object | undefined {
  const url = webhook.read('url', text);
  const named = webhook.read('event_types', texts) ?? [];
  const filter = {
    channelNameStartsWith: webhook.read('filter.channel_name_starts_with', text),
    channelNameEndsWith: webhook.read('filter.channel_name_ends_with', text),
  };
  const headers = webhook.read('headers', object);
  const lambda = webhook.read('lambda_function', text);
  webhook.read('lambda', object);
  if (url === undefined) {
    note(`a webhook that calls ${lambda ?? 'nothing'} needs an address of its own`);
    return undefined;
  }
  const known = named.flatMap((name) => events.get(name) ?? []);
  for (const name of named) if (!events.has(name)) note(`Rookery has no webhook event ${name}`);
  // Without events, Rookery would send all of them.
  if (known.length > 0) return { url, events: known, filter, headers };
  note(`the webhook to ${url} has no event_types, so soketi never sends it: it was left out`);
  return undefined;
}
