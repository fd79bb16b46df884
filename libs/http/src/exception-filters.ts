import type { ArgumentsHost, ExceptionFilter, Type } from '@nestjs/common';
// The key under which `@Catch()` stores exception types on a filter: Nest exports no other name for it.
import { FILTER_CATCH_EXCEPTIONS } from '@nestjs/common/constants.js';
import { isObservable, lastValueFrom } from 'rxjs';

/**
 * Passes an error to the last of the filters that catches it.
 *
 * @returns what that filter returns, once settled
 * @throws the error if none catches it; what the filter throws; an error that it returns
 */
export async function filtered(filters: readonly ExceptionFilter[], error: unknown, host: ArgumentsHost) {
  const filter = filters.findLast((each) => catches(each, error));
  if (!filter) throw error;
  const returned: unknown = await filter.catch(error, host);
  const answer: unknown = isObservable(returned)
    ? await lastValueFrom(returned, { defaultValue: undefined })
    : returned;
  if (answer instanceof Error) throw answer;
  return answer;
}

function catches(filter: ExceptionFilter, error: unknown): boolean {
  const types = (Reflect.getMetadata(FILTER_CATCH_EXCEPTIONS, filter.constructor) ?? []) as Type<unknown>[];
  return types.length === 0 || types.some((type) => error instanceof type);
}
