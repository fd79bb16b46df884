import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import { messageOf, requestIn } from '#http';
import { invalidPublishAt } from '../publish.errors.js';

const rfc3339 =
  /^(\d{4}-\d{2}-(\d{2}))T(?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d(?:\.\d+)?(?:Z|[+-](?:[01]\d|2[0-3]):[0-5]\d)$/i;

/** Parses an RFC 3339 time; `undefined` for any other text. Leap seconds are not supported, as in Node's own clock. */
export function timeOf(text: string): Date | undefined {
  const [, date = '', day] = rfc3339.exec(text) ?? [];
  // Date turns February 30 into March 2.
  if (new Date(`${date}T00:00:00Z`).getUTCDate() !== Number(day)) return undefined;
  return new Date(text.toUpperCase());
}

/** The `Publish-At` of a request, if it has one, as a parameter of a controller's method. */
export const PublishAt = createParamDecorator((_: unknown, context: ExecutionContext): Date | undefined => {
  const text = messageOf(requestIn(context)).headers['publish-at'];
  if (text === undefined) return undefined;
  const time = typeof text === 'string' ? timeOf(text) : undefined;
  if (!time) throw invalidPublishAt();
  return time;
});
