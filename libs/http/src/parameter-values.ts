import { RouteParamtypes } from '@nestjs/common/enums/route-paramtypes.enum.js';
import type { ParamsFactory } from '@nestjs/core';
import { isObject } from '#common';

/** The parts of a platform's request in use; Fastify and Express name them alike. */
interface RequestParts {
  readonly params: Readonly<Record<string, unknown>>;
  readonly query: Readonly<Record<string, unknown>>;
  readonly headers: Readonly<Record<string, unknown>>;
  readonly body: unknown;
}

/** The values of Nest's parameter decorators, such as `@Param('id')`. */
export const parameterValues: ParamsFactory = {
  exchangeKeyForValue(kind, data: unknown, [request, response]: [RequestParts, unknown]): unknown {
    const named = (values: Readonly<Record<string, unknown>>): unknown =>
      typeof data === 'string' ? values[data] : values;
    switch (kind as RouteParamtypes) {
      case RouteParamtypes.REQUEST:
        return request;
      case RouteParamtypes.RESPONSE:
        return response;
      case RouteParamtypes.PARAM:
        return named(request.params);
      case RouteParamtypes.QUERY:
        return named(request.query);
      case RouteParamtypes.HEADERS:
        return typeof data === 'string' ? request.headers[data.toLowerCase()] : request.headers;
      case RouteParamtypes.BODY:
        return typeof data === 'string' && isObject(request.body) ? request.body[data] : request.body;
      default:
        throw new Error(`A RookeryController cannot take the parameter ${RouteParamtypes[kind] ?? kind}`);
    }
  },
};
