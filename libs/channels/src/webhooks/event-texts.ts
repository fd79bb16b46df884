import type { AppWebhook } from '../app/app.js';
import type { Activity } from './channel-events.js';

/** An event as JSON, and the webhooks that get this text. */
export interface EventText {
  readonly json: string;
  readonly webhooks: readonly AppWebhook[];
}

/** Of a member, the socket id is only for the webhooks that ask for it: Pusher's have none. */
export function textsOf(event: Activity, webhooks: readonly AppWebhook[]): readonly EventText[] {
  if (webhooks.length === 0) return [];
  if (event.name !== 'member_added' && event.name !== 'member_removed') return [textOf(event, webhooks)];
  const { socket_id: socketId, ...plain } = event;
  if (socketId === undefined) return [textOf(event, webhooks)];
  const asking = webhooks.filter(({ memberSocketIds }) => memberSocketIds);
  const others = webhooks.filter(({ memberSocketIds }) => !memberSocketIds);
  return [textOf(plain, others), textOf(event, asking)].filter((text) => text.webhooks.length > 0);
}

const textOf = (event: object, webhooks: readonly AppWebhook[]): EventText => ({
  json: JSON.stringify(event),
  webhooks,
});
