import type { ExecutionContext } from '@nestjs/common';
// The key under which Nest stores externally called methods; Nest exports no constant for it.
import { ENTRY_PROVIDER_WATERMARK } from '@nestjs/common/constants.js';
import type { Observable } from 'rxjs';
import { calledBy } from '#common';

/** A member of a presence channel, as returned by a method with `@ChannelAuthorizer()`. */
export interface ChannelMember {
  /** 1 to 128 characters; a number is converted to a string. */
  readonly id: string | number;
  /** The data that other members see; at most 1024 bytes of JSON. */
  readonly info?: unknown;
}

/** The application's signed-in user, as returned by a method with `@UserAuthenticator()`. */
export interface AuthenticatedUser {
  /** 1 to 128 characters; a number is converted to a string. */
  readonly id: string | number;
  /** The data that others see; at most 1024 bytes of JSON. */
  readonly info?: unknown;
  /** The ids of the users whose online status this user watches; at most 100. */
  readonly watchlist?: readonly (string | number)[];
}

/** The apps that a method answers for. */
export interface AuthorizerOptions {
  /** An app's id, or `*` for all apps. @default the module's `appId` */
  readonly app?: string;
}

/** The metadata that a decorator stores on a method. */
export interface ChannelAuthorizerMetadata extends AuthorizerOptions {
  readonly pattern: string;
}

export const channelAuthorizer = Symbol('rookery.channelAuthorizer');
export const userAuthenticator = Symbol('rookery.userAuthenticator');

const authorization = { module: 'AuthorizationModule', forRoot: 'forRoot()', from: 'rookery/authorization' };

type No = false | null | undefined;
type Eventually<T> = T | Promise<T> | Observable<T>;
type MethodThatAnswers<T> = <Method extends (...args: never[]) => Eventually<T | No>>(
  target: object,
  name: string | symbol,
  descriptor: TypedPropertyDescriptor<Method>,
) => void;

/**
 * Marks a method that decides about subscriptions to the channels of a pattern: `private-orders.{orderId}`. It returns
 * true or false; for a pattern that begins with `presence-`, the {@link ChannelMember} or false. A method may have
 * several.
 */
export const ChannelAuthorizer =
  <Pattern extends `private-${string}` | `presence-${string}`>(
    pattern: Pattern,
    { app }: AuthorizerOptions = {},
  ): MethodThatAnswers<Pattern extends `presence-${string}` ? ChannelMember : true> =>
  (target, name, descriptor) => {
    const { value } = descriptor;
    const metadata = (Reflect.getOwnMetadata(channelAuthorizer, value!) ?? []) as ChannelAuthorizerMetadata[];
    keep(target, value!, channelAuthorizer, [...metadata, { pattern, ...(app !== undefined && { app }) }]);
    calledBy('ChannelAuthorizer', authorization)(target, name, descriptor);
  };

/** Marks a method that identifies the application's user of a request: an {@link AuthenticatedUser}, or false. */
export const UserAuthenticator =
  (options: AuthorizerOptions = {}): MethodThatAnswers<AuthenticatedUser> =>
  (target, name, descriptor) => {
    keep(target, descriptor.value!, userAuthenticator, options);
    calledBy('UserAuthenticator', authorization)(target, name, descriptor);
  };

function keep(target: object, method: object, key: symbol, metadata: unknown): void {
  Reflect.defineMetadata(key, metadata, method);
  // This class too gets the host's request-scoped enhancers.
  Reflect.defineMetadata(ENTRY_PROVIDER_WATERMARK, true, target.constructor);
}

/**
 * Whether the called method has `@ChannelAuthorizer()` or `@UserAuthenticator()`. A global interceptor that
 * `globalInterceptors` lets in and that wraps answers must skip these: `if (isAuthorizer(context)) return next.handle();`
 */
export const isAuthorizer = (context: Pick<ExecutionContext, 'getHandler'>): boolean =>
  [channelAuthorizer, userAuthenticator].some((key) => Reflect.hasMetadata(key, context.getHandler()));
