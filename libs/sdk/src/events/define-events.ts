import type { EventsOn } from './channel-types.js';
import type { Json } from './json.js';
import type { StandardSchema } from './standard-schema.js';

/** The definition of an event's data: a class with class-validator rules, or a Standard Schema. */
export type DataDefinition = StandardSchema | (new (...args: never[]) => object);

/** Events by channel pattern and event name. */
export type EventDefinitions = Readonly<Record<string, Readonly<Record<string, DataDefinition>>>>;

/**
 * Declares the events that servers trigger and clients listen to: `defineEvents({ 'private-orders.{id}': { shipped:
 * ShippedDto } })`. In a channel's name, `{id}` matches one or more characters except the dot, `{path*}` any
 * characters.
 */
export const defineEvents = <const Events extends EventDefinitions>(events: Events): Events => events;

/** The names of a channel's events. */
export type EventOf<Events extends EventDefinitions, Channel extends string> = keyof EventsOn<Events, Channel> & string;

/** The data to trigger an event with. */
export type SentData<
  Events extends EventDefinitions,
  Channel extends string,
  Event extends EventOf<Events, Channel>,
> = InputOf<EventsOn<Events, Channel>[Event]>;

/** The data that listeners receive. */
export type HeardData<
  Events extends EventDefinitions,
  Channel extends string,
  Event extends EventOf<Events, Channel>,
> = Json<OutputOf<EventsOn<Events, Channel>[Event]>>;

type InputOf<Data> = Data extends { readonly '~standard': { readonly types?: infer Types } }
  ? NonNullable<Types> extends { readonly input: infer Input }
    ? Input
    : never
  : InstanceOf<Data>;

type OutputOf<Data> = Data extends { readonly '~standard': { readonly types?: infer Types } }
  ? NonNullable<Types> extends { readonly output: infer Output }
    ? Output
    : never
  : InstanceOf<Data>;

type InstanceOf<Data> = Data extends new (...args: never[]) => infer Instance ? Instance : never;
