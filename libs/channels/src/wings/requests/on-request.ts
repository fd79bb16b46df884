import 'reflect-metadata';
// The key under which Nest stores externally called methods; Nest exports no constant for it.
import { ENTRY_PROVIDER_WATERMARK } from '@nestjs/common/constants.js';
import { calledBy } from '#common';
import { channelsModule } from '../../lifecycle/decorators.js';

/** The requests that a method answers. */
export interface AnsweredRequests {
  /** A pattern of channels; absent for requests without a channel. */
  readonly channels?: string;
  readonly name: string;
}

/** The key of a method's requests: a global symbol, so that several copies of the package share it. */
export const onRequest = Symbol.for('rookery.onRequest');

/**
 * Marks a provider's method that answers requests of clients, of every app: `@OnRequest('private-game.{id}', 'move')`, or
 * `@OnRequest('search')` for requests without a channel. What it returns is the reply, as JSON: a value, a promise, or the
 * last value of an Observable.
 *
 * The parameters are those of `@ChannelAuthorizer()`, and `@RequestBody()`; `@CurrentUser()` is the user who signed in on
 * the connection, or the member of the presence channel, as `{ id, info }`, unless a guard sets another. Guards, pipes and
 * interceptors run as around a controller's method.
 *
 * An HTTP exception is the client's error, with its status and message, as is a `WsException` (400). Any other error is
 * logged, and is a 500 with the id that is in the log.
 */
export function OnRequest(channels: string, name: string): MethodDecorator;
export function OnRequest(name: string): MethodDecorator;
export function OnRequest(first: string, second?: string): MethodDecorator {
  const answered: AnsweredRequests = second === undefined ? { name: first } : { channels: first, name: second };
  return (target, name, descriptor) => {
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
