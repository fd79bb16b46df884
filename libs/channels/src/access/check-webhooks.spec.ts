import { expect, it } from 'vitest';
import { appFrom } from './app.js';
import { checkWebhooks } from './check-webhooks.js';

const url = 'https://example.com/hook';
const appWith = (webhook: { url: string; events?: string[] }) =>
  appFrom({ id: '3', key: 'key', secret: 'secret', webhooks: [webhook] });

it.each([{ url }, { url, events: [] }, { url: 'http://localhost:8080', events: ['cache_miss', 'client_event'] }])(
  'takes %j',
  (webhook) => {
    expect(() => checkWebhooks(appWith(webhook))).not.toThrow();
  },
);

it.each([
  [{ url: 'example.com/hook' }, 'the webhooks of app "3" need a url with http or https'],
  [{ url: 'https://' }, 'need a url with http or https'],
  [{ url: 'ftp://example.com' }, 'need a url with http or https'],
  [{ url, events: ['occupied'] }, 'the webhooks of app "3" name the event "occupied"; there are channel_occupied, '],
])('refuses %j', (webhook, message) => {
  expect(() => checkWebhooks(appWith(webhook))).toThrow(message);
});
