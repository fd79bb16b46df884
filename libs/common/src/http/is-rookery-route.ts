import { type ExecutionContext, SetMetadata } from '@nestjs/common';

// Found by its text, so that two copies of the package in one application know each other's classes.
const mark = Symbol.for('rookery.isRookeryRoute');

/** Says of a class that it serves Rookery's routes or sockets: see {@link isRookeryRoute}. */
export const PartOfRookery = (): ClassDecorator => SetMetadata(mark, true);

/**
 * Whether a request is for one of Rookery's routes, or a message came over one of its sockets. The SDKs know nothing of
 * an application's own guards, so a global one begins with `if (isRookeryRoute(context)) return true;`. Rookery checks
 * the signature or the token of each of these requests itself.
 */
export const isRookeryRoute = (context: Pick<ExecutionContext, 'getClass'>): boolean =>
  Reflect.getMetadata(mark, context.getClass()) === true;
