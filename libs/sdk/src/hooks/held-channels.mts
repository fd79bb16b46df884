import { HeldChannel } from './held-channel.mjs';
import { type PageClient, pusherOf, type PusherClient } from './page-client.mjs';

const byClient = new WeakMap<PusherClient, Map<string, HeldChannel>>();

/** What a component uses, if it has both by now. */
export interface Wanted {
  /** Undefined where pages are rendered on a server. */
  readonly client: PageClient | undefined;
  /** Undefined while there is none to use, such as before a login. */
  readonly channel: string | undefined;
}

/** The channel, if a component holds it. */
export function heldChannel({ client, channel }: Wanted): HeldChannel | undefined {
  return client && channel !== undefined ? byClient.get(pusherOf(client))?.get(channel) : undefined;
}

/**
 * Holds a channel: the first of its holders subscribes, the last one unsubscribes.
 * @param begin takes part, and may return what ends its part
 * @returns lets the channel go
 */
export function hold({ client: page, channel }: Wanted, begin: (held: HeldChannel) => (() => void) | void): () => void {
  if (!page || channel === undefined) return () => undefined;
  const client = pusherOf(page);
  const channels = byClient.get(client) ?? new Map<string, HeldChannel>();
  byClient.set(client, channels);
  const held = channels.get(channel) ?? new HeldChannel(client, channel);
  channels.set(channel, held);
  held.holders++;
  const end = begin(held);
  return () => {
    end?.();
    held.holders--;
    // Later, because the next page, or StrictMode, often takes it up again at once.
    setTimeout(() => {
      if (held.holders > 0 || channels.get(channel) !== held) return;
      channels.delete(channel);
      held.end();
    }, 0);
  };
}

/** Calls back with each event of a name. @returns ends it */
export const listen = (wanted: Wanted, event: string, callback: (...args: never[]) => void): (() => void) =>
  hold(wanted, ({ channel }) => {
    channel.bind(event, callback);
    return () => void channel.unbind(event, callback);
  });
