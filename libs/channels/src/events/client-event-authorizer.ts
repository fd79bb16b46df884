import 'reflect-metadata';
import type { Awaitable } from 'rookery/common';
import type { ChannelParams } from '../protocol/channel-pattern.js';

/** A user as the others see them. */
export interface SendingUser {
  readonly id: string;
  /** The user's info; `null` when there is none. */
  readonly info: unknown;
}

/** An event from a client, before it is delivered. */
export interface SentClientEvent {
  readonly appId: string;
  readonly channel: string;
  /** What the parameters of the method's pattern stand for. */
  readonly params: ChannelParams;
  /** Its name, such as `client-typing`. */
  readonly event: string;
  /** What the data is as JSON; its text when it is not JSON. */
  readonly data: unknown;
  readonly socketId: string;
  /** The sender's user on the presence channel; absent on other channels. */
  readonly member?: SendingUser;
  /** The user signed in on the connection, if any. */
  readonly user?: SendingUser;
}

/** What a method may decide on. */
export interface ToldOfClientEvents {
  readonly pattern: string | undefined;
  readonly event: string | undefined;
}

/** Under which a method has its patterns. Found by its text, by whichever copy of the package. */
export const clientEventAuthorizer = Symbol.for('rookery.clientEventAuthorizer');

type MethodThatDecides = <Method extends (event: SentClientEvent) => Awaitable<boolean>>(
  target: object,
  name: string | symbol,
  descriptor: TypedPropertyDescriptor<Method>,
) => void;

/**
 * A method of a provider that says whether a client event may go to the others on its channel: true or false. It is
 * asked before anyone gets the event. Where several methods fit, all of them must say yes; where none does, the event
 * passes. One method may have several of these decorators.
 *
 * @param pattern the channels, such as `private-orders.{orderId}`. Default: all
 * @param event the name of the event, such as `client-typing`. Default: every event
 */
export const ClientEventAuthorizer =
  (pattern?: `private-${string}` | `presence-${string}`, event?: `client-${string}`): MethodThatDecides =>
  (_target, _name, { value }) => {
    const others = (Reflect.getMetadata(clientEventAuthorizer, value!) ?? []) as readonly ToldOfClientEvents[];
    Reflect.defineMetadata(clientEventAuthorizer, [...others, { pattern, event }], value!);
  };
