import type { EventDefinitions, EventOf, HeardData, SentData } from '@rookery/client/events';
import type { ChannelView } from './channel-view.mjs';

/** A channel with typed client events. */
export interface TypedView<Events extends EventDefinitions, Channel extends string> extends Omit<
  ChannelView,
  'trigger'
> {
  readonly trigger: <Event extends EventOf<Events, Channel> & `client-${string}`>(
    event: Event,
    data: SentData<Events, Channel, Event>,
  ) => boolean;
}

/** The callback of an event; a client event on a presence channel names its sender. */
export type TypedEvent<
  Events extends EventDefinitions,
  Channel extends string,
  Event extends EventOf<Events, Channel>,
> = (data: HeardData<Events, Channel, Event>, metadata?: { readonly user_id?: string }) => void;

/** What events of a channel make of its state. */
export type TypedChanges<Events extends EventDefinitions, Channel extends string, State> = {
  readonly [Event in EventOf<Events, Channel>]?: (state: State, data: HeardData<Events, Channel, Event>) => State;
};
