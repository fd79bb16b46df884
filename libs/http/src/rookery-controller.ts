import { applyDecorators, Injectable, RequestMethod, SetMetadata, type Type } from '@nestjs/common';
// The keys under which Nest's decorators store metadata: Nest exports no other names for them.
import {
  ENTRY_PROVIDER_WATERMARK,
  HTTP_CODE_METADATA,
  METHOD_METADATA,
  PATH_METADATA,
} from '@nestjs/common/constants.js';
import { PartOfRookery } from './is-rookery-route.js';

/** A method of a controller and the route that it serves. */
export interface Route {
  readonly controller: Type<object>;
  readonly method: string;
  readonly verb: Lowercase<keyof typeof RequestMethod>;
  /** With Nest's neutral spelling of parameters, such as `/apps/:appId/channels/*tail`. */
  readonly path: string;
  readonly status: number;
}

/** The key under which the compiler stores the types of a method's parameters. */
const parameterTypes = 'design:paramtypes';

const basePaths = Symbol('rookery.basePaths');

/**
 * A controller whose routes {@link RouteRegistrar} registers on the host's platform. To Nest it is a provider, because
 * the routes of Nest's controllers get the host's global prefix and version, log lines and a place in its Swagger
 * document. Its methods are written as in any controller: `@Post('events') @HttpCode(200)`.
 */
export const RookeryController = (...paths: readonly string[]): ClassDecorator =>
  applyDecorators(
    Injectable(),
    PartOfRookery(),
    SetMetadata(basePaths, paths),
    // As @Resolver() does: the host's request-scoped enhancers are then created for these classes too.
    SetMetadata(ENTRY_PROVIDER_WATERMARK, true),
    withoutParameterTypes,
  );

/** The host's global pipes would validate the parameters by their classes, and strip what those leave open. */
const withoutParameterTypes: ClassDecorator = ({ prototype }) => {
  for (const [name] of methodsOf(prototype as object)) {
    const types = Reflect.getMetadata(parameterTypes, prototype as object, name) as readonly unknown[] | undefined;
    if (types) Reflect.defineMetadata(parameterTypes, Array(types.length).fill(Object), prototype as object, name);
  }
};

/** The routes of a controller, in the order of its methods. */
export function routesOf(controller: Type<object>): Route[] {
  const bases = Reflect.getMetadata(basePaths, controller) as readonly string[];
  return methodsOf(controller.prototype as object).flatMap(([name, method]) => {
    const paths = [Reflect.getMetadata(PATH_METADATA, method) as string | string[]].flat();
    const verb = RequestMethod[Reflect.getMetadata(METHOD_METADATA, method) as RequestMethod];
    const route = {
      controller,
      method: name,
      verb: verb.toLowerCase() as Route['verb'],
      status: (Reflect.getMetadata(HTTP_CODE_METADATA, method) as number | undefined) ?? 200,
    };
    return bases.flatMap((base) => paths.map((path) => ({ ...route, path: joined(base, path) })));
  });
}

function methodsOf(prototype: object): [string, object][] {
  return Object.getOwnPropertyNames(prototype).flatMap((name) => {
    const value: unknown = Object.getOwnPropertyDescriptor(prototype, name)?.value;
    return typeof value === 'function' && Reflect.hasMetadata(METHOD_METADATA, value) ? [[name, value]] : [];
  });
}

/** A parameter of a path in Nest's spelling. */
export const parameter = /[:*](\w+)/g;

/** A path as OpenAPI spells it, such as `/apps/{appId}/events`. */
export const spelt = (path: string): string => path.replaceAll(parameter, '{$1}');

const joined = (...parts: readonly string[]): string => {
  const segments = parts.flatMap((part) => part.split('/')).filter((segment) => segment !== '');
  return `/${segments.join('/')}`;
};
