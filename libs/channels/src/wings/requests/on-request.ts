import 'reflect-metadata';
// The key under which Nest stores externally called methods; Nest exports no constant for it.
import { ENTRY_PROVIDER_WATERMARK } from '@nestjs/common/constants.js';
import { calledBy } from '#common';
import type { DataDefinition, GivenReply, RequestDefinition } from '#events';
import type { Observable } from 'rxjs';
import { channelsModule } from '../../lifecycle/decorators.js';

/** The requests that a method answers. */
export interface AnsweredRequests {
  /** A pattern of channels; absent for requests without a channel. */
  readonly channels?: string;
  readonly name: string;
  /** What replies must be, unless `NODE_ENV` is `production`. */
  readonly reply?: DataDefinition | undefined;
}

/** A decorator of methods whose replies match the definition: others do not compile. */
type ReplyDecorator<Definition extends RequestDefinition> = <
  Method extends (
    ...args: never[]
  ) => GivenReply<Definition> | Promise<GivenReply<Definition>> | Observable<GivenReply<Definition>>,
>(
  target: object,
  name: string | symbol,
  method: TypedPropertyDescriptor<Method>,
) => void;

/** The key of a method's requests: a global symbol, so that several copies of the package share it. */
export const onRequest = Symbol.for('rookery.onRequest');

/**
 * Marks a provider's method that answers requests of clients, of every app: `@OnRequest('private-game.{id}', 'move')`, or
 * `@OnRequest('search')` for requests without a channel. What it returns is the reply, as JSON: a value, a promise, or the
 * first value of an Observable.
 *
 * The parameters are those of `@ChannelAuthorizer()`, and `@RequestBody()`; `@CurrentUser()` is the user who signed in on
 * the connection, or the member of the presence channel, as `{ id, info }`, unless a guard sets another. Guards, pipes,
 * interceptors and the filters of `@UseFilters()` run as around a controller's method.
 *
 * With a definition of `defineRequests`, as last argument, a method with another reply does not compile; unless `NODE_ENV`
 * is `production`, a reply that breaks its rules is a 500, and the log names the fault.
 *
 * An HTTP exception is the client's error, with its status and message, as is a `WsException` (400). Any other error is
 * logged, and is a 500 with the id that is in the log.
 */
export function OnRequest(channels: string, name: string): MethodDecorator;
export function OnRequest(name: string): MethodDecorator;
export function OnRequest<Definition extends RequestDefinition>(
  channels: string,
  name: string,
  definition: Definition,
): ReplyDecorator<Definition>;
export function OnRequest<Definition extends RequestDefinition>(
  name: string,
  definition: Definition,
): ReplyDecorator<Definition>;
export function OnRequest(first: string, second?: string | RequestDefinition, third?: RequestDefinition) {
  const named = typeof second === 'string' ? { channels: first, name: second } : { name: first };
  const reply = (typeof second === 'object' ? second : third)?.reply;
  const answered: AnsweredRequests = { ...named, reply };
  return (target: object, name: string | symbol, descriptor: PropertyDescriptor): void => {
    const method = descriptor.value as object;
    const others = (Reflect.getOwnMetadata(onRequest, method) ?? []) as readonly AnsweredRequests[];
    Reflect.defineMetadata(onRequest, [...others, answered], method);
    // This class too gets the host's request-scoped enhancers.
    Reflect.defineMetadata(ENTRY_PROVIDER_WATERMARK, true, target.constructor);
    calledBy('OnRequest', channelsModule)(target, name, descriptor);
  };
}

/**
 * Whether the called method has `@OnRequest()`. A global interceptor that `globalInterceptors` lets in and that wraps
 * answers skips these if replies are to be what methods return: `if (isRequestMethod(context)) return next.handle();`
 */
export const isRequestMethod = (context: { getHandler(): object }): boolean =>
  Reflect.hasMetadata(onRequest, context.getHandler());
