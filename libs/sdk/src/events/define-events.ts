import { ChannelPattern } from './channel-pattern.js';
import type { EventsOn } from './channel-types.js';
import type { InputOf, OutputOf } from './data-types.js';
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
 * @throws Error when a pattern is invalid, or when a channel could match two of them
 */
export function defineEvents<const Events extends EventDefinitions>(events: Events): Events {
  patternsOf(events);
  return events;
}

/** The patterns of the definitions, in their order. @throws Error as {@link defineEvents} */
export function patternsOf(events: EventDefinitions): readonly ChannelPattern[] {
  const patterns = Object.keys(events).map(patternOf);
  for (const [i, one] of patterns.entries()) {
    const other = patterns.slice(i + 1).find((each) => one.overlaps(each));
    if (other) throw new Error(`defineEvents: a channel could match both ${one.text} and ${other.text}`);
  }
  return patterns;
}

function patternOf(text: string): ChannelPattern {
  try {
    return new ChannelPattern(text);
  } catch (error) {
    throw new Error(`defineEvents: '${text}' ${(error as Error).message}`, { cause: error });
  }
}

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
