import type { ExecutionContext } from '@nestjs/common';
// The key under which Nest keeps which providers are called from outside: it has no other name for it.
import { ENTRY_PROVIDER_WATERMARK } from '@nestjs/common/constants.js';
import type { Observable } from 'rxjs';

/** A member of a presence channel, as a method with `@ChannelAuthorizer()` answers it. */
export interface ChannelMember {
  /** 1 to 128 characters; a number becomes the string of its digits. */
  readonly id: string | number;
  /** What other members see of it; at most 1024 bytes of JSON. */
  readonly info?: unknown;
}

/** The user who is signed in to the application, as a method with `@UserAuthenticator()` answers it. */
export interface AuthenticatedUser {
  /** 1 to 128 characters; a number becomes the string of its digits. */
  readonly id: string | number;
  /** What others see of the user; at most 1024 bytes of JSON. */
  readonly info?: unknown;
  /** The ids of users whose coming and going the user wants to hear of; at most 100. */
  readonly watchlist?: readonly (string | number)[];
}

/** For which app a method answers. */
export interface AuthorizerOptions {
  /** An app's id, or `*` for all of them. @default the module's `appId`, or the only app there is */
  readonly app?: string;
}

/** What a decorator keeps of a method. */
export interface ToldOfChannels extends AuthorizerOptions {
  readonly pattern: string;
}

export const channelAuthorizer = Symbol('rookery.channelAuthorizer');
export const userAuthenticator = Symbol('rookery.userAuthenticator');

type No = false | null | undefined;
type Eventually<T> = T | Promise<T> | Observable<T>;
type MethodThatAnswers<T> = <Method extends (...args: never[]) => Eventually<T | No>>(
  target: object,
  name: string | symbol,
  descriptor: TypedPropertyDescriptor<Method>,
) => void;

/**
 * A method that says who may subscribe to the channels of a pattern: `private-orders.{orderId}`. It answers true or
 * false; for a pattern that begins with `presence-`, the {@link ChannelMember} or false. One method may have several.
 */
export const ChannelAuthorizer =
  <Pattern extends `private-${string}` | `presence-${string}`>(
    pattern: Pattern,
    { app }: AuthorizerOptions = {},
  ): MethodThatAnswers<Pattern extends `presence-${string}` ? ChannelMember : true> =>
  (target, _name, { value }) => {
    const told = (Reflect.getOwnMetadata(channelAuthorizer, value!) ?? []) as ToldOfChannels[];
    keep(target, value!, channelAuthorizer, [...told, { pattern, ...(app !== undefined && { app }) }]);
  };

/** A method that says which user of the application asks: an {@link AuthenticatedUser}, or false. */
export const UserAuthenticator =
  (options: AuthorizerOptions = {}): MethodThatAnswers<AuthenticatedUser> =>
  (target, _name, { value }) =>
    keep(target, value!, userAuthenticator, options);

function keep(target: object, method: object, key: symbol, told: unknown): void {
  Reflect.defineMetadata(key, told, method);
  // Enhancers of the host that live for one request are made for this class too.
  Reflect.defineMetadata(ENTRY_PROVIDER_WATERMARK, true, target.constructor);
}

/**
 * Whether what is called is a method with `@ChannelAuthorizer()` or `@UserAuthenticator()`. A global interceptor that
 * wraps answers lets these pass: `if (isAuthorizer(context)) return next.handle();`
 */
export const isAuthorizer = (context: Pick<ExecutionContext, 'getHandler'>): boolean =>
  [channelAuthorizer, userAuthenticator].some((key) => Reflect.hasMetadata(key, context.getHandler()));
