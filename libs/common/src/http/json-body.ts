import { createParamDecorator, type CanActivate, type ExecutionContext } from '@nestjs/common';
import { ApiError } from './api-error.js';
import { BodyTooLarge, messageOf, rawBodyOf, type PlatformRequest } from './raw-body.js';
import { hasBody } from './read-body.js';

/** A JSON object whose fields nobody has looked at yet. */
export type JsonObject = Readonly<Record<string, unknown>>;

export const isObject = (value: unknown): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** The body as a JSON object, or the push APIs' 400 (beams-wire §8). */
export function jsonBodyOf(request: PlatformRequest): JsonObject {
  const body = parsed(rawBodyOf(request));
  if (!isObject(body)) throw new ApiError(400, 'Bad request', 'Failed to read body as a JSON object.');
  return body;
}

function parsed(bytes: Buffer): unknown {
  try {
    return JSON.parse(bytes.toString());
  } catch {
    // Answered by the caller like any body that is not an object.
    return undefined;
  }
}

/** The body as a JSON object, as a parameter of a controller's method. See {@link jsonBodyOf}. */
export const JsonBody = createParamDecorator((_: unknown, context: ExecutionContext) =>
  jsonBodyOf(context.switchToHttp().getRequest<PlatformRequest>()),
);

/** Refuses a body of another type than JSON; without a body any type will do, and none (beams-wire §0.3). */
export class JsonContentTypeGuard implements CanActivate {
  canActivate(context: ExecutionContext): boolean {
    const request = context.switchToHttp().getRequest<PlatformRequest>();
    const type = messageOf(request).headers['content-type']?.split(';', 1)[0]?.trim().toLowerCase();
    if (type === 'application/json' || !isBodyPresent(request)) return true;
    throw new ApiError(400, 'Invalid content type', 'Only `application/json` is supported.');
  }
}

/** Chunks announce a body that may turn out to be empty. */
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
