import { on } from '../../lifecycle/decorators.js';
import { type ChannelActivity, payload } from '../../lifecycle/lifecycle-events.js';

/** A user's client has received an event that asked for receipts, or shown it. */
export interface SeenActivity extends ChannelActivity {
  readonly userId: string;
  /** The event's, as its trigger answered it. */
  readonly receipt: string;
  readonly seen: 'received' | 'shown';
}

declare module '../../lifecycle/lifecycle-events.js' {
  interface LifecycleEvents {
    readonly event_seen: SeenActivity;
  }
}

declare module '../../webhooks/channel-events.js' {
  interface ListenerActivities {
    readonly event_seen: Pick<SeenActivity, 'channel' | 'receipt' | 'seen'> & {
      readonly name: 'event_seen';
      readonly user_id: string;
    };
  }
}

/**
 * A user's client has received an event with receipts, or shown it: once for each user, event and kind. The method gets a
 * SeenActivity.
 */
export const OnSeen = (channels = '*'): MethodDecorator => on('OnSeen', 'event_seen', channels);

/** The argument of a listener, from the JSON in the outbox. */
export function seenPayload(json: string): object {
  const { receipt, seen } = JSON.parse(json) as SeenActivity;
  return { ...payload(json), receipt, seen };
}
