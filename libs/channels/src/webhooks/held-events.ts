import type { App } from '../access/app.js';
import type { WebhookEvent } from './channel-events.js';
import { DelayQueue } from './delay-queue.js';

interface Held {
  readonly app: App;
  readonly event: WebhookEvent;
}

/** Events held at once; beyond it, the first are told early. */
const limit = 100_000;

/**
 * Holds back that a channel was vacated or a member removed. When it is occupied or added again in that time, neither is
 * told: the connection was only replaced (channels-wire §7). They are told in the order they came.
 */
export class HeldEvents {
  private readonly held: DelayQueue<Held>;

  constructor(
    holdMs: number,
    private readonly tell: (app: App, event: WebhookEvent) => void,
  ) {
    this.held = new DelayQueue(holdMs, limit, ({ app, event }) => tell(app, event));
  }

  /** Tells the event now, later, or, with the one that it takes back, never. */
  pass(app: App, event: WebhookEvent): void {
    switch (event.name) {
      case 'channel_vacated':
      case 'member_removed':
        return this.held.add(subject(app, event), { app, event });
      case 'channel_occupied':
      case 'member_added':
        return this.held.take(subject(app, event)) ? undefined : this.tell(app, event);
      case 'cache_miss':
      case 'client_event':
      case 'subscription_count':
        return this.tell(app, event);
      default:
        event satisfies never;
    }
  }

  /** Tells what is held, and holds nothing any more. */
  close(): void {
    this.held.close();
  }
}

/** The channel, or the member of it: no app, channel or user can be written as another's. */
function subject(app: App, event: { readonly channel: string; readonly user_id?: string }): string {
  const channel = `${app.id.length} ${app.id} ${event.channel}`;
  return event.user_id === undefined ? channel : `${channel} ${event.user_id}`;
}
