import type { EventDefinitions } from './define-events.js';

/** The names of channels with defined events. */
export type ChannelOf<Events extends EventDefinitions> = LooselyLike<keyof Events & string>;

/** The events of a channel: those of the pattern that matches it. */
export type EventsOn<Events extends EventDefinitions, Channel extends string> = {
  [Pattern in keyof Events & string]: IsLike<Channel, Pattern> extends true ? Events[Pattern] : never;
}[keyof Events & string];

/** The channels that a pattern matches, and some more: here `{id}` does not stop at a dot. */
type LooselyLike<Pattern extends string> = Pattern extends `${infer Start}{${string}}${infer Rest}`
  ? `${Start}${string}${LooselyLike<Rest>}`
  : Pattern;

/** Whether the pattern matches a channel, segment by segment: a parameter does not cross a dot unless it has a star. */
type IsLike<Channel extends string, Pattern extends string> = Pattern extends `${infer Part}.${infer Rest}`
  ? Part extends `${string}*}${string}`
    ? Extends<Channel, LooselyLike<Pattern>>
    : Channel extends `${infer Name}.${infer Others}`
      ? Name extends LooselyLike<Part>
        ? IsLike<Others, Rest>
        : false
      : false
  : Pattern extends `${string}*}${string}`
    ? Extends<Channel, LooselyLike<Pattern>>
    : Channel extends `${string}.${string}`
      ? false
      : Extends<Channel, LooselyLike<Pattern>>;

type Extends<One, Other> = One extends Other ? true : false;
