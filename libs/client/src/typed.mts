import type { ChannelOf, EventDefinitions, EventOf, HeardData, SentData } from 'rookery/events';

/** A channel of pusher-js whose events have types. */
export interface TypedChannel<Events extends EventDefinitions, Channel extends string> {
  readonly name: string;
  readonly subscribed: boolean;
  bind<Event extends EventOf<Events, Channel>>(
    event: Event,
    callback: (data: HeardData<Events, Channel, Event>, metadata?: { readonly user_id?: string }) => void,
  ): unknown;
  /** What pusher-js and the server tell of the channel itself. */
  bind(event: `pusher:${string}` | 'rookery:gap', callback: (data: unknown) => void): unknown;
  /** Of an event, all callbacks unless one is named. */
  unbind(event: EventOf<Events, Channel>, callback?: (...args: never[]) => void): unknown;
  /** Sends a client event. @returns whether it was sent */
  trigger<Event extends EventOf<Events, Channel> & `client-${string}`>(
    event: Event,
    data: SentData<Events, Channel, Event>,
  ): boolean;
}

/** pusher-js, as far as channels and events have types. */
export interface TypedPusher<Events extends EventDefinitions> {
  subscribe<const Channel extends ChannelOf<Events>>(channel: Channel): TypedChannel<Events, Channel>;
  unsubscribe(channel: ChannelOf<Events>): void;
  channel<const Channel extends ChannelOf<Events>>(channel: Channel): TypedChannel<Events, Channel> | undefined;
}

/** What is used of pusher-js. */
export interface SubscribingClient {
  subscribe(channel: string): object;
  unsubscribe(channel: string): void;
  channel(name: string): object | undefined;
}

/**
 * The same client, whose channels know their events and data: `typed<typeof events>(new Pusher(…))`, with the type alone
 * of what `defineEvents` of `rookery/events` has made.
 */
export const typed = <Events extends EventDefinitions>(client: SubscribingClient): TypedPusher<Events> =>
  client as TypedPusher<Events>; // Its types are wider.
