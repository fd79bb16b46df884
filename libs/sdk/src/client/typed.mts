import type { ChannelOf, EventDefinitions, EventOf, HeardData, SentData } from '@rookery/client/events';
import type { AskingClient } from './requests.mjs';

/** A pusher-js channel with typed events. */
export interface TypedChannel<Events extends EventDefinitions, Channel extends string> {
  readonly name: string;
  readonly subscribed: boolean;
  /** For `request()`. */
  readonly pusher: AskingClient;
  bind<Event extends EventOf<Events, Channel>>(
    event: Event,
    callback: (data: HeardData<Events, Channel, Event>, metadata?: { readonly user_id?: string }) => void,
  ): unknown;
  /** The events of pusher-js and the server about the channel itself. */
  bind(event: `pusher:${string}` | 'rookery:gap' | 'rookery:state', callback: (data: unknown) => void): unknown;
  /** Removes a callback, or all of the event's callbacks if none is given. */
  unbind(event: EventOf<Events, Channel>, callback?: (...args: never[]) => void): unknown;
  /** Sends a client event. @returns whether it was sent */
  trigger<Event extends EventOf<Events, Channel> & `client-${string}`>(
    event: Event,
    data: SentData<Events, Channel, Event>,
  ): boolean;
}

/** The parts of pusher-js that get types. */
export interface TypedPusher<Events extends EventDefinitions> {
  subscribe<const Channel extends ChannelOf<Events>>(channel: Channel): TypedChannel<Events, Channel>;
  unsubscribe(channel: ChannelOf<Events>): void;
  channel<const Channel extends ChannelOf<Events>>(channel: Channel): TypedChannel<Events, Channel> | undefined;
}

/** The parts of pusher-js in use. */
export interface SubscribingClient {
  subscribe(channel: string): object;
  unsubscribe(channel: string): void;
  channel(name: string): object | undefined;
}

/**
 * Types the channels, events and data of a pusher-js client: `typed<typeof events>(new Pusher(…))`. It needs only the
 * type of what `defineEvents` of `@rookery/client/events` returned, and returns the same client.
 */
export const typed = <Events extends EventDefinitions>(client: SubscribingClient): TypedPusher<Events> =>
  client as TypedPusher<Events>; // The client's own types are wider.
