import type { ChannelOf, EventDefinitions, EventOf } from '@rookery/client/events';
import type { Roster, TypedChanges, TypedEvent, TypedView } from '../hooks/index.mjs';
import { useChannel } from './use-channel.mjs';
import { useChannelState } from './use-channel-state.mjs';
import { useEvent } from './use-event.mjs';
import { usePresence } from './use-presence.mjs';

/** The hooks of channels, with types for channels, events and data. */
export interface TypedHooks<Events extends EventDefinitions> {
  readonly useChannel: <const Channel extends ChannelOf<Events>>(
    channel: Channel | undefined,
  ) => TypedView<Events, Channel>;
  readonly useEvent: <const Channel extends ChannelOf<Events>, Event extends EventOf<Events, Channel>>(
    channel: Channel | undefined,
    event: Event,
    callback: TypedEvent<Events, Channel, Event>,
  ) => void;
  readonly usePresence: <Info = unknown>(
    channel: (ChannelOf<Events> & `presence-${string}`) | undefined,
  ) => Roster<Info>;
  readonly useChannelState: <State, const Channel extends ChannelOf<Events> = ChannelOf<Events>>(
    channel: Channel | undefined,
    changes: TypedChanges<Events, Channel, State>,
  ) => State | undefined;
}

/**
 * Types the hooks: `export const { useEvent } = typedHooks<typeof events>()`. It needs only the type of what
 * `defineEvents` of `@rookery/client/events` returned, and returns the same hooks.
 */
export const typedHooks = <Events extends EventDefinitions>(): TypedHooks<Events> =>
  // The hooks' own types are wider.
  ({ useChannel, useEvent, usePresence, useChannelState }) as TypedHooks<Events>;
