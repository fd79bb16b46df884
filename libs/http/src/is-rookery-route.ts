import { type ExecutionContext, SetMetadata } from '@nestjs/common';

// A global symbol, so that several copies of the package in one application recognize each other's classes.
const mark = Symbol.for('rookery.isRookeryRoute');

/** Marks a class that serves Rookery's routes or sockets: see {@link isRookeryRoute}. */
export const PartOfRookery = (): ClassDecorator => SetMetadata(mark, true);

/**
 * Whether a request is for one of Rookery's routes, or a message came over one of its sockets. The SDKs cannot pass an
 * application's own guards, so begin a global guard with `if (isRookeryRoute(context)) return true;`. Rookery itself
 * checks the signature or the token of each of these requests.
 */
export const isRookeryRoute = (context: Pick<ExecutionContext, 'getClass'>): boolean =>
  Reflect.getMetadata(mark, context.getClass()) === true;
