import 'reflect-metadata';
import { type Awaitable, calledBy } from '#common';
import { channelsModule } from '../lifecycle/decorators.js';
import type { ChannelParams } from '#events';

/** A user as other users see them. */
export interface SendingUser {
  readonly id: string;
  /** The user's info; `null` when there is none. */
  readonly info: unknown;
}

/** An event from a client, before it is delivered. */
export interface SentClientEvent {
  readonly appId: string;
  readonly channel: string;
  /** The values of the parameters in the method's pattern. */
  readonly params: ChannelParams;
  /** Its name, such as `client-typing`. */
  readonly event: string;
  /** The parsed JSON of the data, or its text if it is not JSON. */
  readonly data: unknown;
  readonly socketId: string;
  /** The sender's user on the presence channel; absent on other channels. */
  readonly member?: SendingUser;
  /** The user signed in on the connection, if any. */
  readonly user?: SendingUser;
}

/** Which client events a method decides on. */
export interface ClientEventAuthorizerMetadata {
  readonly pattern: string | undefined;
  readonly event: string | undefined;
}

/** The key of a method's patterns: a global symbol, so that several copies of the package share it. */
export const clientEventAuthorizer = Symbol.for('rookery.clientEventAuthorizer');

type MethodThatDecides = <Method extends (event: SentClientEvent) => Awaitable<boolean>>(
  target: object,
  name: string | symbol,
  descriptor: TypedPropertyDescriptor<Method>,
) => void;

/**
 * Marks a provider's method that decides whether a client event may be delivered: it answers true or false before any
 * client receives the event. When several methods match, all must answer true; when none matches, the event is
 * delivered. A method may carry several of these decorators.
 *
 * @param pattern the channels, such as `private-orders.{orderId}`. Default: all
 * @param event the name of the event, such as `client-typing`. Default: every event
 */
export const ClientEventAuthorizer =
  (pattern?: `private-${string}` | `presence-${string}`, event?: `client-${string}`): MethodThatDecides =>
  (target, name, descriptor) => {
    const { value } = descriptor;
    const others = (Reflect.getMetadata(clientEventAuthorizer, value!) ??
      []) as readonly ClientEventAuthorizerMetadata[];
    Reflect.defineMetadata(clientEventAuthorizer, [...others, { pattern, event }], value!);
    calledBy('ClientEventAuthorizer', channelsModule)(target, name, descriptor);
  };
