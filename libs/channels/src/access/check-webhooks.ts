import type { AppConfig } from './app.js';
import { webhookEventNames } from './webhook-event-name.js';

/** Throws when a webhook of the app could never be sent: an endpoint that is no URL, an event that does not exist. */
export function checkWebhooks({ id, webhooks = [] }: AppConfig): void {
  for (const { url, events = [] } of webhooks) {
    const path = `ChannelsModule: the webhooks of app ${JSON.stringify(id)}`;
    if (!/^https?:\/\//.test(url) || !URL.canParse(url)) throw new Error(`${path} need a url with http or https`);
    const unknown = events.find((event) => !webhookEventNames.some((name) => name === event));
    if (unknown !== undefined)
      throw new Error(`${path} name the event ${JSON.stringify(unknown)}; there are ${webhookEventNames.join(', ')}`);
  }
}
