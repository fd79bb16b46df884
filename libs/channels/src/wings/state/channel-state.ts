import 'reflect-metadata';
import { type Awaitable, calledBy } from '#common';
import { channelsModule } from '../../lifecycle/decorators.js';
import type { ChannelParams } from '#events';

/** The channel whose state is asked for. */
export interface StateRequest {
  readonly appId: string;
  readonly channel: string;
  /** The values of the parameters in the method's pattern. */
  readonly params: ChannelParams;
}

/** The key of a method's patterns: a global symbol, so that several copies of the package share it. */
export const channelState = Symbol.for('rookery.channelState');

type MethodThatReads = <Method extends (request: StateRequest) => Awaitable<unknown>>(
  target: object,
  name: string | symbol,
  descriptor: TypedPropertyDescriptor<Method>,
) => void;

/**
 * Marks a provider's method that reads the current state of the channels of a pattern, such as a list: it returns what
 * can be JSON. Each subscriber gets it as the event `rookery:state`, directly after its confirmation, then the events
 * that follow. The answer is the same for all subscribers of the channel, and one call serves all that come together.
 *
 * Change the data first, and trigger the event then: all events that came before the call are then in the state. One that
 * comes during the call may be in it, and follows it all the same, so clients apply events in a way that may be repeated.
 *
 * An HTTP exception of Nest's below 500 refuses the subscription with its message; other errors are logged, and refuse it
 * with 503. A method may carry several of these decorators.
 *
 * @param pattern such as `orders.{id}`; neither cache channels nor encrypted ones have a state
 */
export const ChannelState =
  (pattern: string): MethodThatReads =>
  (target, name, descriptor) => {
    const { value } = descriptor;
    const others = (Reflect.getMetadata(channelState, value!) ?? []) as readonly string[];
    Reflect.defineMetadata(channelState, [...others, pattern], value!);
    calledBy('ChannelState', channelsModule)(target, name, descriptor);
  };
