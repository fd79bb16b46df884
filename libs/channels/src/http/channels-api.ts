import { applyDecorators, Controller, type Type, UseFilters, UseGuards, VERSION_NEUTRAL } from '@nestjs/common';
import { METHOD_METADATA } from '@nestjs/common/constants.js';
import { SignedRequestGuard } from '../access/signed-request.guard.js';
import type { RouteMethod } from './compiled-route.js';
import { TextRefusalFilter } from './text-refusal.filter.js';

/** What all paths of the Channels HTTP API begin with. */
export const channelsApiPrefix = '/apps';

/** The paths of the API: a host may have others under the prefix. */
export const channelsApiPaths = /\/apps\/[^/]+\/(events|batch_events|channels|users)(\/|$)/;

const ownMethod = Symbol('rookery.method');

/** A controller of the Channels HTTP API: signed requests in, plain-text refusals out. */
export const ChannelsApi = (): ClassDecorator =>
  applyDecorators(
    // A host's versioning has no say in the API's paths.
    Controller({ path: 'apps/:appId', version: VERSION_NEUTRAL }),
    UseGuards(SignedRequestGuard),
    UseFilters(TextRefusalFilter),
    // Nest copies a method's metadata to the handler that it makes of it: so the handler names its method.
    (controller: object) => {
      for (const method of routesOf(controller as Type)) Reflect.defineMetadata(ownMethod, method, method);
    },
  );

/** The methods of a controller that are routes. */
export function routesOf(controller: Type): RouteMethod[] {
  return Object.values(Object.getOwnPropertyDescriptors(controller.prototype as object))
    .map(({ value }: { value?: unknown }) => value)
    .filter(
      (value): value is RouteMethod => typeof value === 'function' && Reflect.hasMetadata(METHOD_METADATA, value),
    );
}

/** The method of one of our controllers that a handler of Nest's serves, if it is one. */
export function methodOf(handler: object): unknown {
  return Reflect.getMetadata(ownMethod, handler);
}
