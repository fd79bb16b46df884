import type { Awaitable } from 'rookery/common';

/** The last event of a cache channel. */
export interface CachedEvent {
  readonly event: string;
  readonly data: string;
}

/**
 * What the processes know together about the channels and connections of all apps. Nothing of one app is ever seen
 * through the id of another.
 *
 * - `subscribe` counts one more connection and `unsubscribe` one less; both are atomic and answer the number of
 *   connections on the channel after it: 1 from `subscribe` means that the channel became occupied, 0 from
 *   `unsubscribe` that it was vacated. Each `subscribe` is followed by at most one `unsubscribe`.
 * - `subscriptionCount` of a channel that is not occupied is 0. `occupied` answers the names that begin with `prefix`.
 * - `admit` counts a connection of an app unless it has `limit` already, atomically; each `true` is followed by one
 *   `dismiss`.
 * - `remember` replaces what a cache channel remembers; it is forgotten after `ttlSeconds`, whether or not the channel
 *   is occupied. `recall` answers it with the whole seconds it has left, at least 1, or `undefined`.
 */
export abstract class ChannelRepository {
  abstract subscribe(appId: string, channel: string): Awaitable<number>;
  abstract unsubscribe(appId: string, channel: string): Awaitable<number>;
  abstract subscriptionCount(appId: string, channel: string): Awaitable<number>;
  abstract occupied(appId: string, prefix: string): Awaitable<readonly string[]>;
  abstract admit(appId: string, limit: number): Awaitable<boolean>;
  abstract dismiss(appId: string): Awaitable<void>;
  abstract remember(appId: string, channel: string, event: CachedEvent, ttlSeconds: number): Awaitable<void>;
  abstract recall(
    appId: string,
    channel: string,
  ): Awaitable<(CachedEvent & { readonly ttlSeconds: number }) | undefined>;
}
