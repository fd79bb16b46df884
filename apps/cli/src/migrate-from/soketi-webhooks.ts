import { withoutUndefined, withoutUndefinedOrNone } from './converted-config.js';
import type { OtherSettings } from './other-settings.js';

const events = [
  'channel_occupied',
  'channel_vacated',
  'member_added',
  'member_removed',
  'client_event',
  'cache_miss',
  'subscription_count',
];

/** soketi's documentation has another name for one of them. */
const eventNames: Readonly<Record<string, string>> = { cache_missed: 'cache_miss' };

/** The webhooks of an app; undefined if there are none. */
export function soketiWebhooks(app: OtherSettings, note: (text: string) => void): readonly object[] | undefined {
  const webhooks = (app.list('webhooks') ?? []).flatMap((webhook) => webhookOf(webhook, note) ?? []);
  return webhooks.length > 0 ? webhooks : undefined;
}

function webhookOf(webhook: OtherSettings, note: (text: string) => void): object | undefined {
  const url = webhook.text('url');
  const named = webhook.texts('event_types') ?? [];
  const filter = withoutUndefinedOrNone({
    channelNameStartsWith: webhook.text('filter.channel_name_starts_with'),
    channelNameEndsWith: webhook.text('filter.channel_name_ends_with'),
  });
  const headers = webhook.object('headers');
  const lambda = webhook.text('lambda_function');
  webhook.object('lambda');
  if (url === undefined) {
    note(`a webhook that calls ${lambda ?? 'nothing'} needs an address of its own`);
    return undefined;
  }
  const known = named.map((name) => eventNames[name] ?? name).filter((name) => events.includes(name));
  for (const name of named) if (!known.includes(eventNames[name] ?? name)) note(`Rookery has no webhook event ${name}`);
  // Without events, Rookery would send all of them.
  if (known.length > 0) return withoutUndefined({ url, events: known, filter, headers });
  note(`the webhook to ${url} has no event_types, so soketi never sends it: it was left out`);
  return undefined;
}
