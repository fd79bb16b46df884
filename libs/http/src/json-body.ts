import { type CanActivate, createParamDecorator, type ExecutionContext, Injectable } from '@nestjs/common';
import { isObject, type JsonObject } from '#common';
import { ApiError } from './api-error.js';
import { BodyTooLarge, hasBody, messageOf, rawBodyOf, requestIn, type PlatformRequest } from './raw-body.js';

const json = Symbol('rookery.json');

/** The body as a JSON object, or the push APIs' 400 (beams-wire §8). */
export function jsonBodyOf(request: PlatformRequest & { [json]?: JsonObject }): JsonObject {
  const body = request[json] ?? parsed(rawBodyOf(request));
  if (!isObject(body)) throw new ApiError('invalid_body', 400, 'Bad request', 'Failed to read body as a JSON object.');
  request[json] = body;
  return body;
}

function parsed(bytes: Buffer): unknown {
  try {
    return JSON.parse(utf8.decode(bytes));
  } catch {
    // The caller answers this like any body that is not an object.
    return undefined;
  }
}

const utf8 = new TextDecoder('utf-8', { fatal: true });

/** The body as a JSON object, as a parameter of a controller's method. See {@link jsonBodyOf}. */
export const JsonBody = createParamDecorator((_: unknown, context: ExecutionContext) => jsonBodyOf(requestIn(context)));

/** Requires a body that is small enough and a JSON object. For routes that check more before its fields. */
@Injectable()
export class JsonBodyGuard implements CanActivate {
  canActivate(context: ExecutionContext): boolean {
    jsonBodyOf(requestIn(context));
    return true;
  }
}

/**
 * Refuses a body that is not JSON by its type; a request without a body may have any type, or none (beams-wire §0.3).
 */
@Injectable()
export class JsonContentTypeGuard implements CanActivate {
  canActivate(context: ExecutionContext): boolean {
    const request = requestIn(context);
    const type = messageOf(request).headers['content-type']?.split(';', 1)[0]?.trim().toLowerCase();
    if (type === 'application/json' || !isBodyPresent(request)) return true;
    throw new ApiError('invalid_content_type', 400, 'Invalid content type', 'Only `application/json` is supported.');
  }
}

/** A chunked request announces a body, which may turn out to be empty. */
function isBodyPresent(request: PlatformRequest): boolean {
  const message = messageOf(request);
  if (message.headers['transfer-encoding'] === undefined) return hasBody(message);
  try {
    return rawBodyOf(request).length > 0;
  } catch (error) {
    if (error instanceof BodyTooLarge) return true;
    throw error;
  }
}
